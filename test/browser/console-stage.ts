import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { createAccount } from '#persistence';
import type { RunningWebhooks } from '../../apps/webhooks/start-webhooks.js';
import type { FoundChromium } from '../../scripts/chromium/find-chromium.js';
import { eventually } from '../support/eventually.js';
import { OPERATOR_PASSWORD } from '../support/gateway.js';
import { testRedisUrl } from '../support/redis.js';
import { TestService } from '../support/service.js';
import { startTestWebhooks } from '../support/webhooks.js';
import { type DemoAccount, openDemoAccount } from './demo-account.js';
import { type PageFaults, watchFaults } from './page-faults.js';

export const WIDE = { width: 1280, height: 800 };
/** The narrowest phones that are sold. */
export const PHONE = { width: 360, height: 740 };

const ACTION_TIMEOUT_MS = 30_000;

interface Visit {
  /** The page that is opened first. */
  readonly path?: string;
  /** What the visitor brings along, as a session. */
  readonly prepare?: (context: BrowserContext) => Promise<void>;
}

export interface OpenPage {
  readonly page: Page;
  readonly faults: PageFaults;
}

/** One Chromium and one service, for all journeys: gateway, worker, deliverer of webhooks and simulated carrier. */
export class ConsoleStage {
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
      // Containers run tests as root, where Chromium's own sandbox does not start.
      chromium.launch({ executablePath: program, args: ['--no-sandbox', '--force-color-profile=srgb'] }),
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

  /** A tab of a new visitor, British, in Berlin, without motion. `work` ends with the tab closed and no fault found. */
  async visit(url: string, work: (open: OpenPage) => Promise<void>, visit: Visit = {}): Promise<void> {
    const { path = '/', prepare } = visit;
    const context = await this.browser.newContext({
      baseURL: url,
      viewport: WIDE,
      locale: 'en-GB',
      timezoneId: 'Europe/Berlin',
      colorScheme: 'light',
      reducedMotion: 'reduce',
    });
    context.setDefaultTimeout(ACTION_TIMEOUT_MS);
    try {
      await prepare?.(context);
      const page = await context.newPage();
      const faults = await watchFaults(page);
      await page.goto(path);
      await work({ page, faults });
      faults.expectNone();
    } finally {
      await context.close();
    }
  }

  /** A new account that has sent nothing, and its key. */
  async openAccount(name: string): Promise<{ readonly accountId: string; readonly apiKey: string }> {
    const { account, apiKey } = await createAccount(this.service.database, { name, currency: 'EUR' });
    return { accountId: account.accountId, apiKey };
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

/** Where `npm run screenshots` wants the pictures; undefined in the suite. */
const SCREENSHOTS = process.env.SCREENSHOTS_DIR;

/** Keeps a picture of the page for README and documents, if somebody asked for pictures. */
export async function picture(page: Page, name: string): Promise<void> {
  if (!SCREENSHOTS) return;
  const path = join(SCREENSHOTS, `${name}.png`);
  mkdirSync(dirname(path), { recursive: true });
  await page.screenshot({ path, animations: 'disabled', caret: 'hide' });
}
