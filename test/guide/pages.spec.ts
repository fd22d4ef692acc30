import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { TestGateway } from '../support/gateway.js';
import { GUIDE_FILES, guideText } from './guide-fences.js';

const TEXT_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const PATHS = GUIDE_FILES.map((file) => (file === 'README.md' ? '/docs' : `/docs/${file.replace('.md', '')}`));

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start();
});
afterAll(() => gateway.close());

const page = (path: string, headers: Record<string, string> = {}) => gateway.http.request('GET', path, { headers });

/** What a page links to and loads, as a browser finds it that has the page below a path of a reverse proxy. */
function linksOf(path: string, text: string): URL[] {
  const base = `http://proxy.test/sms${path}`;
  return [...text.matchAll(/ (?:href|src)="([^"]*)"/g)].map(
    ([, link = '']) => new URL(link.replaceAll('&amp;', '&'), base),
  );
}

describe.each(PATHS)('%s', (path) => {
  test('is a whole page: a title, one first heading, its place among the others', async () => {
    const { status, headers, text } = await page(path);
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toMatch(/<html lang="en">[\s\S]*<title>.* ?Heliograph guide<\/title>/);
    expect(text.match(/<h1/g)).toHaveLength(1);
    expect(text).toMatch(/<body>\n<a class="skip" href="#content">[\s\S]*<main id="content"/);
    if (path !== '/docs') expect(text.match(/aria-current="page"/g)).toHaveLength(2);
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    // Nothing of the Markdown is left over.
    expect(text.replaceAll(/<pre[\s\S]*?<\/pre>/g, '')).not.toMatch(/\*\*|```|\]\(|\\\|/);
  });

  test('has no script, and its policy allows none', async () => {
    const { headers, text } = await page(path);
    expect(headers['content-security-policy']).toBe(TEXT_POLICY);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(text).not.toMatch(/<script|<style|style="| on[a-z]+="|javascript:/);
  });

  test('has links that lead somewhere, also below a path of a reverse proxy', async () => {
    const { text } = await page(path);
    for (const { origin, pathname, hash } of linksOf(path, text)) {
      if (origin !== 'http://proxy.test') continue;
      expect(pathname).toMatch(/^\/sms\//);
      const target = await page(pathname.replace('/sms', ''));
      expect([pathname, target.status]).toEqual([pathname, 200]);
      if (hash !== '' && !pathname.endsWith('/api'))
        expect(target.text).toContain(` id="${decodeURIComponent(hash.slice(1))}"`);
    }
  });

  test('is kept by browsers as long as it is the same', async () => {
    const first = await page(path);
    expect(first.headers['cache-control']).toBe('no-cache');
    const again = await page(path, { 'if-none-match': String(first.headers.etag) });
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', first.headers.etag]);
    expect((await page(path, { 'if-none-match': '"another"' })).text).toBe(first.text);
  });
});

describe('the first page', () => {
  test('lists every page of the guide, and nothing that is not there', () => {
    const listed = [...guideText('README.md').matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, file]) => file);
    expect([...listed, 'README.md'].sort()).toEqual([...GUIDE_FILES].sort());
  });

  test('has every endpoint, under the anchor that the API page has for it', async () => {
    const { text } = await page('/docs');
    const { paths } = (await page('/openapi.json')).as<{
      paths: Record<string, Record<string, { operationId: string; tags: string[] }>>;
    }>();
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { operationId, tags }] of Object.entries(methods)) {
        expect(text).toContain(
          `<tr id="/${tags[0]}/${operationId}"><td><a href="docs/api#/${tags[0]}/${operationId}">`,
        );
        expect(text).toContain(`<code>${method.toUpperCase()} ${path}</code>`);
      }
    }
  });

  test('is found with a slash at its end as well', async () => {
    const reply = await page('/docs/');
    expect([reply.status, reply.headers.location]).toEqual([302, '../docs']);
  });
});

test.each(['/docs', '/openapi.json', '/docs/swagger-ui-bundle.js'])(
  '%s is compressed for a browser, which keeps it',
  async (path) => {
    const plain = await page(path);
    const zipped = await fetch(new URL(path, gateway.url), { headers: { 'accept-encoding': 'gzip' } });
    expect([zipped.headers.get('content-encoding'), zipped.headers.get('vary')]).toEqual(['gzip', 'accept-encoding']);
    expect(await zipped.text()).toBe(plain.text);
    const octets = Number(zipped.headers.get('content-length'));
    expect(octets).toBeLessThan(Number(plain.headers['content-length']) / 2);
    const unzipped = await fetch(new URL(path, gateway.url), { headers: { 'accept-encoding': 'identity, gzip;q=0' } });
    expect([unzipped.headers.get('content-encoding'), await unzipped.text()]).toEqual([null, plain.text]);
    const again = await page(path, { 'if-none-match': String(zipped.headers.get('etag')) });
    expect(again.status).toBe(304);
  },
);

test('no page but that of the API has more rights, and it loads from this gateway alone', async () => {
  const { headers, text } = await page('/docs/api');
  expect(headers['content-security-policy']).toMatch(
    /^default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'/,
  );
  expect(text).not.toMatch(/<script>|<style/);
  for (const { origin, pathname } of linksOf('/docs/api', text)) {
    expect(origin).toBe('http://proxy.test');
    expect([pathname, (await page(pathname.replace('/sms', ''))).status]).toEqual([pathname, 200]);
  }
});
