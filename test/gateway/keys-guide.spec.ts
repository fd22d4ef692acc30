import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ERRORS } from '../../apps/gateway/http/error-catalogue.js';
import { guideMarkdown } from '../../apps/gateway/openapi/guide.js';
import { KEYS_GUIDE_TITLE, keysGuide } from '../../apps/gateway/openapi/keys-guide.js';
import { type TestAccount, TestGateway } from '../support/gateway.js';
import type { HttpReply } from '../support/http-client.js';

const documentText = readFileSync(join(process.cwd(), 'docs/keys-and-limits.md'), 'utf8');

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await TestGateway.start();
  account = await gateway.account({ rateLimitPerSecond: 50 });
});
afterAll(() => gateway.close());

/** Runs a command line as a shell and curl would, with these variables. */
async function curl(line: string, variables: Record<string, string>): Promise<HttpReply> {
  const words = [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) =>
      single ?? (double ?? bare ?? '').replaceAll(/\$(\w+)/g, (_name, name: string) => variables[name] ?? ''),
  );
  const after = (option: string) => words.flatMap((word, index) => (word === option ? [words[index + 1] ?? ''] : []));
  const [body] = after('-d');
  const [method = body === undefined ? 'GET' : 'POST'] = after('-X');
  const headers = Object.fromEntries(after('-H').map((header) => header.split(': ', 2) as [string, string]));
  const path = new URL(words.find((word) => word.startsWith('http')) ?? '').pathname;
  return gateway.http.request(method, path, { headers, ...(body !== undefined && { body }) });
}

describe('the page "Keys and limits"', () => {
  test('of the repository is the one of the gateway', () => {
    expect(documentText).toBe(guideMarkdown(KEYS_GUIDE_TITLE, keysGuide()));
  });

  test('has commands that work, one after the other, and answers with the fields that it shows', async () => {
    const fences = [...documentText.matchAll(/```\n([\s\S]*?)\n```/g)].map(([, text = '']) => text);
    const variables: Record<string, string> = { API_KEY: account.apiKey, KEY_ID: '' };
    let commands = 0;
    for (const fence of fences.filter((text) => text.startsWith('curl'))) {
      const [input = '', shown] = fence.split('\n\n');
      for (const line of input.replaceAll('\\\n', ' ').split('\n')) {
        if (line.includes('/rotate')) {
          // The key of the commands before is revoked by now.
          variables.KEY_ID = (await account.anotherKey({ name: 'store', scopes: ['send'] })).keyId;
        }
        const reply = await curl(line, variables);
        expect([line, Math.floor(reply.status / 100)]).toEqual([line, 2]);
        commands += 1;
        if (shown !== undefined) {
          const fields = [...shown.matchAll(/"(\w+)":/g)].map(([, field]) => field);
          for (const field of fields) expect(reply.text).toContain(`"${field}":`);
        }
        variables.KEY_ID = reply.as<{ keyId?: string }>().keyId ?? variables.KEY_ID ?? '';
      }
    }
    expect(commands).toBe(6);
  });

  test('has headers of the form that the gateway sends', async () => {
    const reply = await account.get('/v1/account');
    const [, policy] = /\nRateLimit-Policy: (.*)\n/.exec(documentText) ?? [];
    expect(reply.headers['ratelimit-policy']).toBe(policy);
    const [, standing = ''] = /\nRateLimit: (.*)\n/.exec(documentText) ?? [];
    expect(String(reply.headers.ratelimit).replace(/r=\d+/, 'r=12')).toBe(standing);
  });

  test('names codes that exist, with their status', () => {
    const rows = [...documentText.matchAll(/(\d{3})[ |]+`(\w+)`/g)];
    expect(rows.length).toBeGreaterThan(6);
    for (const [, status, code] of rows)
      expect([code, ERRORS[code as keyof typeof ERRORS]?.status]).toEqual([code, Number(status)]);
  });

  test('is served, and linked from the API, the keys, the page of errors and the README', async () => {
    const page = async (path: string) => (await gateway.http.request('GET', path)).text;
    const html = await page('/docs/keys');
    expect(html).toContain('<h1>Keys and limits</h1>');
    expect(html).not.toMatch(/\*\*|\\\||`[a-z]/);
    const { info, paths } = JSON.parse(await page('/openapi.json')) as {
      info: { description: string };
      paths: Record<string, { get: { description: string } }>;
    };
    expect(info.description).toContain('(/docs/keys)');
    expect(paths['/v1/account/keys']?.get.description).toContain('(/docs/keys)');
    expect(await page('/docs/errors')).toContain('href="keys"');
    expect(readFileSync(join(process.cwd(), 'README.md'), 'utf8')).toContain('docs/keys-and-limits.md');
  });
});
