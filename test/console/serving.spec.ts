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

  test.each(['text/html', 'text/html,application/xhtml+xml,*/*;q=0.8', 'application/json, TEXT/HTML;q=0.5'])(
    'a browser that accepts %s is at an unknown path on a page of its own, with 404',
    async (accept) => {
      const reply = await get(name, '/nothing/here?x=1', { accept });
      expect([reply.status, reply.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
      expect(reply.headers['cache-control']).toBe('no-store');
      expect(reply.headers['content-security-policy']).toContain("'nonce-");
      expect(reply.text).toContain('<div id="console">');
    },
  );

  test.each(['*/*', 'application/json', 'text/*', 'text/html;q=0', 'text/htmlx'])(
    'a program that accepts %s reads a problem document there',
    async (accept) => {
      const reply = await get(name, '/nothing', { accept });
      expect([reply.status, reply.headers['content-type']]).toEqual([404, 'application/problem+json']);
      expect(JSON.parse(reply.text)).toMatchObject({ code: 'not_found', detail: 'There is nothing at this path.' });
    },
  );

  test.each(['/assets/../owner/paths.json', '/assets/%2e%2e/.build-stamp'])('%s leads nowhere', async (path) => {
    expect((await get(name, path)).status).toBeGreaterThanOrEqual(400);
  });
});

const HTML = { accept: 'text/html' };

test.each(['/v1', '/v1/nothing', '/v1?x=1', '/%76%31/nothing', '/v%31'])(
  '%s is a path of the API, which answers a browser like everybody',
  async (path) => {
    const asBrowser = await gateway.http.request('GET', path, { headers: HTML });
    const asProgram = await gateway.http.request('GET', path);
    expect(asBrowser.headers['content-type']).toBe('application/problem+json');
    expect([asBrowser.status, codeOf(asBrowser)]).toEqual([asProgram.status, codeOf(asProgram)]);
  },
);

test('a browser at an unknown path is told the id of its request, as programs are', async () => {
  const headers = { ...HTML, 'X-Request-Id': 'asked-by-a-person' };
  const { status, headers: answered } = await gateway.http.request('GET', '/nothing', { headers });
  expect([status, answered['x-request-id']]).toEqual([404, 'asked-by-a-person']);
});

test('a browser that posts to an unknown path, or reads with a wrong method, gets the problem document', async () => {
  const posted = await gateway.http.request('POST', '/nothing', { headers: HTML });
  expect([posted.status, posted.headers['content-type']]).toEqual([404, 'application/problem+json']);
  const wrong = await gateway.http.request('GET', '/carriers/acme/inbound', { headers: HTML });
  expect([wrong.status, wrong.headers['content-type']]).toEqual([405, 'application/problem+json']);
  const api = await get('operator', '/api/nothing', HTML);
  expect(api.headers['content-type']).toBe('application/problem+json');
});

function codeOf({ text }: { readonly text: string }): unknown {
  return (JSON.parse(text) as { code: unknown }).code;
}
