import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { publint } from 'publint';
import { VERSION as CLIENT_VERSION } from '#client';
import { VERSION } from '#config';
import { type TestAccount, TestGateway } from '../support/gateway.js';
import { NODES } from '../support/nodes.js';
import { InstalledPackage } from './installed-package.js';
import { signedWebhook } from './signed-webhook.js';

const BYTES_MAX = 12_000;
const JOURNEY = resolve('test/clients/journey.mjs');
const WANTED = {
  sent: 4,
  encoding: 'extended',
  listed: 4,
  exported: 4,
  isNotFound: true,
  stopped: 'enough',
  type: 'message.sent',
};
/** What WinterTC's minimum common API has of what is used, and no more. */
const WEB_GLOBALS = [
  'AbortController AbortSignal Headers Response ReadableStream TextDecoder TextEncoder URL URLSearchParams',
  'atob clearTimeout crypto fetch setTimeout',
]
  .join(' ')
  .split(' ');

let gateway: TestGateway;
let account: TestAccount;
let installed: InstalledPackage;
let settings: string;

beforeAll(async () => {
  [gateway, installed] = await Promise.all([TestGateway.start(), InstalledPackage.make()]);
  account = await gateway.account({ deposit: '1000' });
  settings = JSON.stringify({ baseUrl: gateway.url, apiKey: account.apiKey, webhook: signedWebhook() });
});
afterAll(async () => {
  installed?.remove();
  await gateway?.close();
});

describe('the package', () => {
  test('has nothing that publint objects to, and needs nothing at run time', async () => {
    const { messages } = await publint({ pkgDir: installed.path, pack: false });
    expect(messages).toEqual([]);
    const manifest = JSON.parse(readFileSync(join(installed.path, 'package.json'), 'utf8')) as Record<string, unknown>;
    expect(Object.keys(manifest).filter((name) => /dependencies/i.test(name))).toEqual([]);
    expect(existsSync(join(installed.path, 'LICENSE'))).toBe(true);
  });

  test('has the version of the service', () => {
    const { version } = JSON.parse(readFileSync(join(installed.path, 'package.json'), 'utf8')) as { version: string };
    expect([version, CLIENT_VERSION]).toEqual([VERSION, VERSION]);
  });

  test(`has at most ${BYTES_MAX} bytes, minified`, async () => {
    const [file] = (await bundled(`export * from '@heliograph/client'`, 'esm')).outputFiles;
    expect(file?.contents.length).toBeLessThanOrEqual(BYTES_MAX);
    expect(gzipSync(file?.contents ?? '').length).toBeLessThanOrEqual(BYTES_MAX / 2);
  });

  test('has types for ES modules, for CommonJS and for bundlers, with the types of Node or with those of browsers', async () => {
    const use = `
      const client = new Heliograph({ baseUrl: 'https://example.com', apiKey: 'hg_x' });
      export async function statuses(): Promise<('delivered' | string)[]> {
        const found: string[] = [];
        for await (const { external_status } of client.messages.list()) found.push(external_status);
        // @ts-expect-error: there is no such field
        await client.messages.send({ recipient: '', message: '', send_at: '' });
        return found;
      }`;
    const files = {
      'module.mts': `import { Heliograph } from '@heliograph/client';${use}`,
      'common.cts': `import { Heliograph } from '@heliograph/client';${use}`,
    };
    await installed.compile(files, {});
    const ofBrowsers = { types: [], lib: ['es2022', 'dom'], skipLibCheck: false };
    const forBundlers = { module: 'esnext', moduleResolution: 'bundler', ...ofBrowsers };
    await installed.compile({ 'bundled.ts': files['module.mts'] }, forBundlers);
  });
});

describe('the client works', () => {
  describe.each(NODES)('on %s', (node) => {
    test('as ES modules', async () => {
      const program = `import * as client from '@heliograph/client'; import { journey } from '${JOURNEY}';
        console.log(JSON.stringify(await journey(client, ${settings})));`;
      const { stdout } = await installed.run(node, ['--input-type=module', '-e', program]);
      expect(JSON.parse(stdout)).toEqual(WANTED);
    });

    test('as CommonJS', async () => {
      const program = `const client = require('@heliograph/client');
        import('${JOURNEY}').then(({ journey }) => journey(client, ${settings}))
          .then((result) => console.log(JSON.stringify(result)));`;
      const { stdout } = await installed.run(node, ['--input-type=commonjs', '-e', program]);
      expect(JSON.parse(stdout)).toEqual(WANTED);
    });
  });

  test('where there are no globals but those of the web', async () => {
    const text = `import * as client from '@heliograph/client'; import { journey } from '${JOURNEY}';
      export const result = journey(client, ${settings});`;
    const [file] = (await bundled(text, 'iife')).outputFiles;
    const globals = WEB_GLOBALS.map((name) => [name, globalThis[name as keyof typeof globalThis]]);
    const context = createContext(Object.fromEntries(globals));
    const { result } = runInContext(`${file?.text}; journeyed`, context) as { result: Promise<object> };
    expect({ ...(await result) }).toEqual(WANTED);
  });
});

function bundled(contents: string, format: 'esm' | 'iife') {
  const stdin = { contents, resolveDir: installed.folder };
  return build({
    stdin,
    bundle: true,
    minify: true,
    write: false,
    format,
    globalName: 'journeyed',
    platform: 'neutral',
  });
}
