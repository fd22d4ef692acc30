import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { countSegments, encodingOf } from '#billing';
import { guideMarkdown } from '../../apps/gateway/openapi/guide.js';
import { TEXT_GUIDE_TITLE, textGuide } from '../../apps/gateway/openapi/text-guide.js';
import { TestGateway } from '../support/gateway.js';

const ROOT = process.cwd();
const documentText = readFileSync(join(ROOT, 'docs/text-segments-price.md'), 'utf8');

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start();
});
afterAll(() => gateway.close());

const page = async (path: string) => (await gateway.http.request('GET', path)).text;

describe('the page "Text, segments and price"', () => {
  test('of the repository is the one of the gateway', () => {
    expect(documentText).toBe(guideMarkdown(TEXT_GUIDE_TITLE, textGuide()));
  });

  test('lists exactly the characters that are billed at one byte', () => {
    const [, listed = ''] = /the space among them[\s\S]*?```\n([\s\S]*?)\n```/.exec(documentText) ?? [];
    const inList = new Set(['\r', '\n', ' ', ...listed.split(/\s+/)]);
    const inSet = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(
      (character) => encodingOf(character) === 'standard',
    );
    expect([...inList].sort()).toEqual(inSet.sort());
    const [, missing = ''] = /These ASCII characters are not in it[\s\S]*?```\n(.*)\n```/.exec(documentText) ?? [];
    expect(missing.split(' ')).toEqual(['/', '[', '\\', ']', '^', '`', '{', '|', '}', '~']);
  });

  test('a slash makes 71 to 160 characters two or three times as dear', () => {
    expect(documentText.replaceAll('\n', ' ')).toContain(
      'a text of 71 to 160 characters then costs two or three times as much',
    );
    for (let length = 71; length <= 160; length += 1) {
      const plain = 'x'.repeat(length);
      expect(countSegments(plain, 'standard')).toBe(1);
      expect([2, 3]).toContain(countSegments(`${plain.slice(1)}/`, 'extended'));
    }
  });

  test('its quote is what the quote answers, but for the price of the account', async () => {
    const account = await gateway.account();
    const [, body = '', answer = ''] = /-d '(.*)'\n\n([\s\S]*?)\n```/.exec(documentText) ?? [];
    const reply = await account.post('/v1/message/quote', JSON.parse(body));
    expect(reply.json).toEqual({ ...JSON.parse(answer), unitPrice: 0.0174, price: 0.0174 });
  });

  test('is served, and linked from the API, the quote, the page of errors and the README', async () => {
    const html = await page('/docs/text');
    expect(html).toContain('<h1>Text, segments and price</h1>');
    expect(html).toContain('! " # $ % &amp; \' ( ) *');
    expect(html).not.toMatch(/\*\*|\\\||`[a-z]/);
    const { info, paths } = JSON.parse(await page('/openapi.json')) as {
      info: { description: string };
      paths: Record<string, { post: { description: string } }>;
    };
    expect(info.description).toContain('(/docs/text)');
    expect(paths['/v1/message/quote']?.post.description).toContain('(/docs/text)');
    expect(await page('/docs/errors')).toContain('href="text"');
    expect(readFileSync(join(ROOT, 'README.md'), 'utf8')).toContain('docs/text-segments-price.md');
  });
});
