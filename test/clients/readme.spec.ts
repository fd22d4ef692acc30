import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { freePort } from '../../scripts/process/free-port.js';
import { eventually } from '../support/eventually.js';
import { type TestAccount, TestGateway } from '../support/gateway.js';
import { InstalledPackage } from './installed-package.js';
import { type SignedWebhook, signedWebhook } from './signed-webhook.js';

const README = readFileSync('clients/typescript/README.md', 'utf8');
const SAMPLES = samplesOf(README);
/** The first one makes the client that the others use. */
const MAKES_CLIENT = SAMPLES[0]?.code ?? '';
/** What is used of Express, which is not installed here. */
const EXPRESS = `declare module 'express' {
  type Request = { body: Buffer; headers: import('node:http').IncomingHttpHeaders };
  type Handler = (request: Request, response: { sendStatus(status: number): void }) => void;
  const express: {
    (): { post(path: string, ...handlers: Handler[]): void; listen(port: number): void };
    raw(options: object): Handler;
  };
  export default express;
}`;

interface Sample {
  readonly name: string;
  readonly code: string;
}

/** The code of a page in TypeScript, by the headings above it. */
function samplesOf(page: string): Sample[] {
  let heading = '';
  const samples: Sample[] = [];
  for (const [, title, code] of page.matchAll(/^## (.*)$|^```ts\n([\s\S]*?)\n```$/gm)) {
    heading = title?.toLowerCase().replaceAll(/\W+/g, '-') ?? heading;
    if (code !== undefined) samples.push({ name: `${heading}-${samples.length}`, code });
  }
  return samples;
}

const isReceiver = ({ code }: Sample) => code.includes('verifyWebhook(');

let gateway: TestGateway;
let account: TestAccount;
let installed: InstalledPackage;
let environment: Record<string, string>;
let receiver: ChildProcess | undefined;

beforeAll(async () => {
  [gateway, installed] = await Promise.all([TestGateway.start(), InstalledPackage.make()]);
  account = await gateway.account();
  environment = { HELIOGRAPH_URL: gateway.url, HELIOGRAPH_API_KEY: account.apiKey };
  const files = SAMPLES.map((sample) => {
    const needsClient = /\bclient\./.test(sample.code);
    return [`${sample.name}.ts`, `${needsClient ? `${MAKES_CLIENT}\n` : ''}${sample.code}\nexport {};\n`] as const;
  });
  await installed.compile({ ...Object.fromEntries(files), 'express.d.ts': EXPRESS }, {});
});
afterAll(async () => {
  receiver?.kill('SIGKILL');
  installed?.remove();
  await gateway?.close();
});

/** What a receiver answers to a webhook, to the same with another body, and to one without headers. */
async function answers(ask: (body: string, headers: Record<string, string>) => Promise<Response>, one: SignedWebhook) {
  const replies = [await ask(one.body, one.headers), await ask(`${one.body} `, one.headers), await ask(one.body, {})];
  return replies.map(({ status }) => status);
}

describe('the samples of the README', () => {
  test.each(SAMPLES.filter((sample) => !isReceiver(sample)))('$name runs', async ({ name }) => {
    await installed.run(process.execPath, [`${name}.js`], environment);
  });

  test('a refused send prints what is wrong', async () => {
    const { name = '' } = SAMPLES.find(({ code }) => code.includes('instanceof ApiError')) ?? {};
    const { stderr } = await installed.run(process.execPath, [`${name}.js`], environment);
    expect(stderr).toContain('recipient_invalid');
  });

  test('the receiver for the Request of the web accepts webhooks of the service alone', async () => {
    const { name = '' } = SAMPLES.find(({ code }) => code.includes('function POST')) ?? {};
    const { POST } = (await import(pathToFileURL(installed.in(`${name}.js`)).href)) as {
      POST(request: Request): Promise<Response>;
    };
    const one = signedWebhook();
    process.env.WEBHOOK_SECRET = one.secret;
    const printed = jest.spyOn(console, 'log').mockImplementation(() => undefined);
    const ask = (body: string, headers: Record<string, string>) =>
      POST(new Request('http://localhost/', { method: 'POST', body, headers }));
    expect(await answers(ask, one)).toEqual([204, 400, 400]);
    expect(printed.mock.calls).toEqual([['message.sent', { messageId: 'ü' }]]);
    printed.mockRestore();
    delete process.env.WEBHOOK_SECRET;
  });

  test('the receiver with Fastify accepts webhooks of the service alone', async () => {
    const { name = '' } = SAMPLES.find(({ code }) => code.includes("from 'fastify'")) ?? {};
    const [one, port] = [signedWebhook(), await freePort()];
    const settings = { ...process.env, NODE_OPTIONS: '', PORT: String(port), WEBHOOK_SECRET: one.secret };
    receiver = spawn(process.execPath, [`${name}.js`], { cwd: installed.folder, env: settings, stdio: 'ignore' });
    const ask = (body: string, headers: Record<string, string>) =>
      fetch(`http://localhost:${port}/webhooks`, {
        method: 'POST',
        body,
        headers: { ...headers, 'content-type': 'application/json' },
      });
    await eventually(() => ask('', {}));
    expect(await answers(ask, one)).toEqual([204, 400, 400]);
  });

  test('each is there', () => {
    expect(SAMPLES.length).toBeGreaterThan(12);
    expect(SAMPLES.filter(isReceiver).length).toBe(3);
  });
});
