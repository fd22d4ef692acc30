import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { TestGateway } from '../support/gateway.js';
import { HttpClient } from '../support/http-client.js';
import { builtConsole, CONSOLES, type ConsoleName } from './built-console.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start();
});
afterAll(() => gateway.close());

/** Without a password: people sign in with the page. */
function get(name: ConsoleName, path: string, headers: Record<string, string> = {}) {
  if (name === 'owner') return gateway.http.request('GET', path, { headers });
  const http = new HttpClient(gateway.operatorPort ?? 0);
  return http.request('GET', path, { headers });
}

describe.each(CONSOLES)("the %ss' console", (name) => {
  const { paths, page } = builtConsole(name);
  const samples = Object.values(paths).map((path) => path.replaceAll(/:\w+/g, 'a1'));

  test.each(samples)('%s answers the page, which no browser or proxy keeps', async (path) => {
    const reply = await get(name, path);
    expect(reply.status).toBe(200);
    expect(reply.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(reply.headers['cache-control']).toBe('no-store');
    expect(reply.text).toContain('<div id="console">');
  });

  test('only its own scripts and styles may run, by a nonce that no other response has', async () => {
    const replies = [await get(name, '/'), await get(name, '/')];
    const nonces = replies.map(({ headers, text }) => {
      const policy = String(headers['content-security-policy']);
      const nonce = /'nonce-([\w-]{20,})'/.exec(policy)?.[1] ?? '';
      expect(policy).toBe(
        `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; connect-src 'self'; ` +
          "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      );
      expect(text).toBe(page.replaceAll('__CSP_NONCE__', nonce));
      return nonce;
    });
    expect(new Set(nonces).size).toBe(2);
  });

  test('a browser gets its files compressed, and keeps them', async () => {
    const [script = ''] = /\/assets\/query-client-[\w-]+\.js/.exec(page) ?? [];
    for (const [accepted, encoding] of [
      ['br, gzip', 'br'],
      ['gzip', 'gzip'],
    ] as const) {
      const reply = await get(name, script, { 'Accept-Encoding': accepted });
      expect([reply.status, reply.headers['content-encoding']]).toEqual([200, encoding]);
      expect(reply.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(reply.headers['content-type']).toMatch(/javascript; charset=utf-8$/i);
    }
  });

  test.each(['/nothing', '/assets/nothing.js', '/assets/', '/paths.json'])('%s answers 404', async (path) => {
    expect((await get(name, path)).status).toBe(404);
  });

  test.each(['/assets/../owner/paths.json', '/assets/%2e%2e/.build-stamp'])('%s leads nowhere', async (path) => {
    expect((await get(name, path)).status).toBeGreaterThanOrEqual(400);
  });
});
