import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { bookDeposit, createAccount } from '#persistence';
import type { RunningWebhooks } from '../../apps/webhooks/start-webhooks.js';
import type { FoundChromium } from '../../scripts/chromium/find-chromium.js';
import { eventually } from '../support/eventually.js';
import { OPERATOR_PASSWORD } from '../support/gateway.js';
import { testRedisUrl } from '../support/redis.js';
import { TestService } from '../support/service.js';
import { startTestWebhooks } from '../support/webhooks.js';
import { type DemoAccount, openDemoAccount } from './demo-account.js';
import { type PageFaults, TELL_BREACHES, watchFaults } from './page-faults.js';

export const WIDE = { width: 1280, height: 800 };
export const LAPTOP = { width: 1024, height: 768 };
/** The narrowest phones that are sold. */
export const PHONE = { width: 360, height: 740 };
/** A window of 1280 by 1024 pixels at 400 %. */
export const MAGNIFIED = { width: 320, height: 256 };

const ACTION_TIMEOUT_MS = 30_000;

const FLAGS = [
  // Containers run tests as root, where Chromium's own sandbox does not start.
  '--no-sandbox',
  '--disable-gpu',
  '--force-color-profile=srgb',
  // Pages live for seconds: V8's optimising compilers take more processor time than their code gives back.
  '--js-flags=--no-opt,--no-maglev',
];

type Cookie = Parameters<BrowserContext['addCookies']>[0][number];

interface Visit {
  /** The page that is opened first. */
  readonly path?: string;
  /** What the visitor brings along, as a session: a cookie, and what runs before each page. */
  readonly cookie?: Cookie;
  readonly script?: string;
}

export interface OpenPage {
  readonly page: Page;
  readonly faults: PageFaults;
}

/**
 * One Chromium and one service, for all journeys: gateway, worker, deliverer of webhooks and simulated carrier.
 * Visitors of a console use a tab one after the other, because a new one takes a process, which compiles all scripts
 * anew.
 */
export class ConsoleStage {
  /** Tabs that no visitor uses, by the address of their console. */
  private readonly freeTabs = new Map<string, Page>();

  private constructor(
    readonly service: TestService,
    /** The account whose owner uses the console. */
    readonly demo: DemoAccount,
    private readonly webhooks: RunningWebhooks,
    private readonly browser: Browser,
  ) {}

  static async start({ program }: FoundChromium): Promise<ConsoleStage> {
    const backEnd = testRedisUrl() === undefined ? 'postgres' : 'redis';
    const [service, browser] = await Promise.all([
      TestService.start({ backEnd, settings: { OPERATOR_PASSWORD, WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8' } }),
      chromium.launch({ executablePath: program, args: FLAGS }),
    ]);
    const demo = await openDemoAccount(service);
    const webhooks = await startTestWebhooks(service.settings.DATABASE_URL ?? '');
    return new ConsoleStage(service, demo, webhooks, browser);
  }

  get ownerUrl(): string {
    return this.service.gatewayUrl;
  }

  get operatorUrl(): string {
    return `http://127.0.0.1:${this.service.operatorPort}`;
  }

  /**
   * A tab for a new visitor, British, in Berlin, without motion. It knows nothing of the visitor before, and `work`
   * ends with no fault found.
   */
  async visit(url: string, work: (open: OpenPage) => Promise<void>, visit: Visit = {}): Promise<void> {
    const { path = '/', cookie, script } = visit;
    const page = this.freeTabs.get(url) ?? (await this.openTab(url));
    this.freeTabs.delete(url);
    const context = page.context();
    try {
      await forgetVisitor(page);
      const emptied = await page.addInitScript('sessionStorage.clear(); localStorage.clear()');
      const scripts = script === undefined ? [] : [await page.addInitScript(script)];
      if (cookie !== undefined) await context.addCookies([cookie]);
      const faults = watchFaults(page);
      await page.goto(path);
      await emptied.dispose();
      await work({ page, faults });
      faults.expectNone();
      for (const added of scripts) await added.dispose();
    } catch (error) {
      await context.close();
      throw error;
    }
    this.freeTabs.set(url, page);
  }

  private async openTab(url: string): Promise<Page> {
    const context = await this.browser.newContext({
      baseURL: url,
      locale: 'en-GB',
      timezoneId: 'Europe/Berlin',
      reducedMotion: 'reduce',
    });
    context.setDefaultTimeout(ACTION_TIMEOUT_MS);
    await context.addInitScript(TELL_BREACHES);
    return context.newPage();
  }

  /** A new account that has sent nothing, and its key; `deposit` in micro-units of a euro. */
  async openAccount(name: string, deposit = 0n): Promise<{ readonly accountId: string; readonly apiKey: string }> {
    const { database } = this.service;
    const { account, apiKey } = await createAccount(database, { name, currency: 'EUR' });
    const { accountId } = account;
    if (deposit > 0n) await bookDeposit(database, accountId, { amount: deposit, currency: 'EUR' });
    return { accountId, apiKey };
  }

  /** Sends as a program of the account does; gives the id of the message. */
  async send(apiKey: string, recipient: string, message: string): Promise<string> {
    const reply = await fetch(`${this.ownerUrl}/v1/message/send`, {
      method: 'POST',
      headers: { 'x-authorization': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ recipient, message }),
    });
    if (reply.status !== 201) throw new Error(`the send answers ${reply.status}: ${await reply.text()}`);
    const { messageId } = (await reply.json()) as { messageId: string };
    return messageId;
  }

  /** Every session of owners is over, as after 12 hours. */
  async endTokens(page: Page): Promise<void> {
    const token = await page.evaluate<string>("JSON.parse(sessionStorage.getItem('heliograph.session')).token");
    await this.service.database.query('delete from console_token');
    // The gateway trusts what it knows of a token for five seconds.
    await eventually(async () => {
      const { status } = await fetch(`${this.ownerUrl}/v1/account/balance`, { headers: { 'x-authorization': token } });
      return status === 401;
    });
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.webhooks.close();
    await this.service.close();
  }
}

/** As if the tab were new. What pages keep beside cookies is for the next page to remove. */
async function forgetVisitor(page: Page): Promise<void> {
  for (const event of ['console', 'pageerror', 'dialog']) page.removeAllListeners(event);
  // An answer that is being changed at this moment is for a page that ends.
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.goto('about:blank');
  const context = page.context();
  await context.setOffline(false);
  await context.clearCookies();
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(WIDE);
}

/** Runs before a page, which is then that of a browser in Arabic whose clock is 40 days ahead. */
export const ANOTHER_BROWSER = `(() => {
  Object.defineProperty(navigator, 'languages', { value: ['ar', 'en-US'] });
  const RealDate = Date;
  const now = () => RealDate.now() + 40 * 86_400_000;
  globalThis.Date = class extends RealDate {
    constructor(...parts) {
      super(...(parts.length === 0 ? [now()] : parts));
    }
    static now() {
      return now();
    }
  };
})()`;

/** Changes what a part of the API answers. The page asks for the whole answer each time, and not whether it is new. */
export async function changeAnswer<Answer>(page: Page, api: string, changed: (answer: Answer) => object) {
  await page.route(api, async (route) => {
    const { 'if-none-match': _known, ...headers } = route.request().headers();
    const response = await route.fetch({ headers });
    await route.fulfill({ response, json: changed((await response.json()) as Answer) });
  });
}

/** Keeps an act back until it may go. */
export async function holdAct(page: Page, api: string) {
  let letGo = () => {};
  const free = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route(api, async (route) => {
    if (route.request().method() !== 'GET') await free;
    await route.continue();
  });
  return { letGo };
}

/** Keeps the answers of a part of the API back until they are refused. */
export async function holdBack(page: Page, api: string) {
  let refuse = () => {};
  const refused = new Promise<void>((resolve) => {
    refuse = resolve;
  });
  await page.route(api, async (route) => {
    await refused;
    // The tab may be elsewhere by now.
    await route.fulfill({ status: 500, body: '{}' }).catch(() => undefined);
  });
  return { refuse, end: () => page.unroute(api) };
}

/** Where `npm run screenshots` wants the pictures; undefined in the suite. */
const SCREENSHOTS = process.env.SCREENSHOTS_DIR;

/** Keeps a picture of the page for README and documents, if somebody asked for pictures. */
export async function picture(page: Page, name: string): Promise<void> {
  if (!SCREENSHOTS) return;
  const path = join(SCREENSHOTS, `${name}.png`);
  mkdirSync(dirname(path), { recursive: true });
  await page.screenshot({ path, animations: 'disabled', caret: 'hide' });
}
