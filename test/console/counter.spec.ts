import { describe, expect, jest, test } from '@jest/globals';
import { countText } from '../../apps/console/owner/compose/count-text.js';
import {
  findOffenders,
  replaceCharacters,
  replaceLookAlikes,
} from '../../apps/console/owner/compose/find-offenders.js';
import { nameCharacter } from '../../apps/console/owner/compose/name-character.js';
import { savedSegments } from '../../apps/console/owner/compose/saved-segments.js';

describe('the counter of the compose page', () => {
  test.each([
    ['nothing', '', { segments: 0, left: 160, segmentMax: 160, encoding: 'standard' }],
    ['a full standard segment', 'x'.repeat(160), { segments: 1, left: 0 }],
    ['one character more', 'x'.repeat(161), { segments: 2, left: 153 - 8, segmentMax: 153 }],
    ['an extended text', '€'.repeat(70), { segments: 1, left: 0, segmentMax: 70, encoding: 'extended' }],
    ['one character more', '€'.repeat(71), { segments: 2, left: 63 - 8, segmentMax: 63 }],
    // The 32nd emoji would stand in both segments, so the first one has 62 code units.
    ['emoji, which are never cut', '👍'.repeat(36), { length: 72, segments: 2, left: 63 - 10 }],
    ['the longest standard text', 'x'.repeat(39_015), { segments: 255, left: 0, isTooLong: false }],
    ['a text that is too long', 'x'.repeat(39_018), { isTooLong: true, left: -3 }],
    ['emoji without room for the last half', '👍'.repeat(8_000), { length: 16_000, isTooLong: true, left: -1 }],
  ])('counts %s', (_what, text, expected) => {
    expect(countText(text)).toMatchObject(expected);
  });

  test('shows the text of each segment', () => {
    const { pieces } = countText(`${'x'.repeat(153)}yz${'.'.repeat(10)}`);
    expect(pieces.map(({ length }) => length)).toEqual([153, 12]);
  });
});

describe('the characters that make a text extended', () => {
  test('are marked as a reader sees them, whatever they are made of', () => {
    const family = '👨‍👩‍👧';
    const flag = '🇸🇪';
    const accent = 'e\u0301';
    const text = `a${family}b${flag}c${accent}d€`;
    const { characters, marks } = findOffenders(text);
    expect(marks.map(({ start, end }) => text.slice(start, end))).toEqual([family, flag, accent, '€']);
    expect(characters.map(({ character, position }) => [character, position])).toEqual([
      [family, 1],
      [flag, 1 + family.length + 1],
      [accent, text.indexOf(accent)],
      ['€', text.length - 1],
    ]);
    expect(characters[2]?.codePoints).toEqual(['U+0301']);
  });

  test('are counted once for each kind', () => {
    const { characters } = findOffenders('“a” “b” – 👍👍');
    expect(characters.map(({ character, count }) => [character, count])).toEqual([
      ['“', 2],
      ['”', 2],
      ['–', 1],
      ['👍', 2],
    ]);
  });

  test('of a text in another script do not stop the page: the first 2,000 are marked', () => {
    const { marks, hasMore, characters } = findOffenders('я'.repeat(16_000));
    expect([marks.length, hasMore, characters.length]).toEqual([2_000, true, 1]);
  });

  test('none are found in a standard text', () => {
    expect(findOffenders('plain £5')).toEqual({ characters: [], marks: [], hasMore: false });
  });

  test.each([
    ['’', 'right single quotation mark'],
    ['€', 'euro sign'],
    ['é', 'e with acute'],
    ['e\u0301', 'e with acute'],
    ['Å', 'capital A with ring above'],
    ['ậ', 'a with dot below and circumflex'],
    ['ж', 'Cyrillic letter'],
    ['好', 'Chinese character'],
    ['👨‍👩‍👧', 'emoji'],
    ['❤️', 'emoji'],
    ['1️⃣', 'emoji'],
    ['🇸🇪', 'flag'],
    ['\u200b', 'zero width space'],
    ['\u2063', 'invisible character'],
    ['₪', 'currency sign'],
    ['①', 'number'],
    ['→', 'symbol'],
    ['\ud800', 'half of a surrogate pair'],
  ])('%s is called %j', (character, name) => {
    expect(nameCharacter(character)).toBe(name);
  });

  test('are replaced with one click, each wherever it stands by itself', () => {
    expect(replaceCharacters('5 € – 10 €', new Map([['€', 'EUR']]))).toBe('5 EUR – 10 EUR');
    // A part of another character stays: the woman of the family is no lone woman.
    expect(replaceCharacters('👩 👨‍👩‍👧', new Map([['👩', 'she']]))).toBe('she 👨‍👩‍👧');
  });

  test('are replaced in one pass over the text to say what that saves, however many kinds it has', () => {
    // Each of these is an "a" with other marks, as in a text in Vietnamese.
    const text = 'ắằẳẵặấầẩẫậ'.repeat(10);
    const offenders = findOffenders(text);
    const passes = jest.spyOn(Intl.Segmenter.prototype, 'segment');
    expect(savedSegments(text, offenders)).toEqual({ now: 2, instead: 1 });
    expect(passes).toHaveBeenCalledTimes(1);
    passes.mockRestore();
  });

  test('that look alike are replaced together, also where others keep the text extended', () => {
    expect(replaceLookAlikes('“It’s” – 5 €…')).toBe('"It\'s" - 5 €...');
  });
});
