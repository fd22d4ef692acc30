import { describe, expect, test } from '@jest/globals';
import { encodingOf, exceededLimits, smartText, substituteOf } from '#billing';
import { measureText } from '../../libs/billing/pricing.js';

describe('smart encoding', () => {
  test.each([
    ['“quoted”', '"quoted"'],
    ['„quoted“ and «quoted»', '"quoted" and "quoted"'],
    ['it’s `here`', "it's 'here'"],
    ['9–5 — or ‑1', '9-5 - or -1'],
    ['wait…', 'wait...'],
    ['a\u00a0b\u202fc\u3000d', 'a b c d'],
    ['soft\u00adhyphen and\u200b zero width\ufeff', 'softhyphen and zero width'],
    ['• one\u2028• two', '* one\n* two'],
  ])('writes %j as %j', (text, standard) => {
    expect(smartText(text).text).toBe(standard);
    expect(encodingOf(standard)).toBe('standard');
  });

  test('counts each character that it has replaced, in the order in which they first stand', () => {
    expect(smartText('‘a’ – ‘b’\u200b').replacements).toEqual([
      { character: '‘', codePoint: 'U+2018', replacement: "'", count: 2 },
      { character: '’', codePoint: 'U+2019', replacement: "'", count: 2 },
      { character: '–', codePoint: 'U+2013', replacement: '-', count: 1 },
      { character: '\u200b', codePoint: 'U+200B', replacement: '', count: 1 },
    ]);
  });

  test.each(['plain', 'é – è', '5 € – net', '“emoji” 👍', 'https://example.org/~me – here', '[a] – {b}'])(
    'leaves %j as it is, because it gains nothing or would stay extended',
    (text) => {
      expect(smartText(text)).toEqual({ text, replacements: [] });
    },
  );

  test.each([
    ['is replaced while it needs no more segments', 53, '.'.repeat(159)],
    ['stays if it would need more', 54, '…'.repeat(54)],
    ['stays if it would be too long to be sent', 255 * 63, '…'.repeat(255 * 63)],
  ])('a text of ellipses %s', (_what, count, text) => {
    expect(smartText('…'.repeat(count)).text).toBe(text);
  });

  test.each(['\u200b', '\u00ad \u2060'])('leaves %j as it is, because an empty text would be refused', (text) => {
    expect(measureText(text)).toMatchObject({ encoding: 'extended', segments: 1 });
    expect(smartText(text)).toEqual({ text, replacements: [] });
  });

  test('changes nothing when it is done again', () => {
    const { text } = smartText('“It’s” – …');
    expect(smartText(text)).toEqual({ text, replacements: [] });
  });
});

describe('a substitute', () => {
  test.each([
    ['’', "'"],
    ['\u00a0', ' '],
    ['\u200b', ''],
  ])('%j is the look-alike %j, as smart encoding has it', (character, text) => {
    expect(substituteOf(character)).toEqual({ text, isLookAlike: true });
    expect(smartText(`a${character}`).text).toBe(`a${text}`);
  });

  test.each([
    ['€', 'EUR'],
    ['é', 'e'],
    ['e\u0301', 'e'],
    ['Å', 'A'],
    ['ß', 'ss'],
    ['ﬁ', 'fi'],
    ['[', '('],
    ['²', '2'],
  ])('%j may be written %j, which only a person decides', (character, text) => {
    expect(substituteOf(character)).toEqual({ text, isLookAlike: false });
    expect(smartText(character).text).toBe(character);
  });

  test.each(['👍', '/', '\\', 'ж', '好', '½', '\u0301'])('of %j there is none', (character) => {
    expect(substituteOf(character)).toBeUndefined();
  });
});

describe('the limits of a client', () => {
  const quote = { destination: '46', encoding: 'standard', segments: 2, unitPrice: 75_000n, price: 150_000n } as const;

  test.each([
    [{}, []],
    [{ maxPrice: 150_000n, maxSegments: 2 }, []],
    [{ maxPrice: 149_999n }, ['price_above_max']],
    [{ maxSegments: 1 }, ['too_many_segments']],
    [{ maxPrice: 0n, maxSegments: 1 }, ['price_above_max', 'too_many_segments']],
  ])('%j are exceeded by 2 segments for 0.15 as %j', (limits, codes) => {
    expect(exceededLimits(quote, limits).map(({ code }) => code)).toEqual(codes);
  });
});
