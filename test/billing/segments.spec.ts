import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  countSegments,
  EXTENDED_MESSAGE_MAX,
  encodingOf,
  planSegments,
  RuleViolation,
  SEGMENTS_MAX,
  STANDARD_MESSAGE_MAX,
} from '#billing';
import { ANY_CHARACTER, fuzz } from '../support/fuzz.js';

const PAIR = '\u{1f600}';
const lengthsOf = (text: string) => planSegments(text).segments.map((segment) => segment.length);

function ruleBrokenBy(text: string): string {
  try {
    planSegments(text);
  } catch (error) {
    if (error instanceof RuleViolation) return error.code;
    throw error;
  }
  return 'none';
}

describe('a standard message is one segment up to 160 characters, then segments of 153', () => {
  test.each([
    [1, [1]],
    [153, [153]],
    [154, [154]],
    [160, [160]],
    [161, [153, 8]],
    [306, [153, 153]],
    [307, [153, 153, 1]],
    [459, [153, 153, 153]],
    [460, [153, 153, 153, 1]],
  ])('%d characters', (length, expected) => {
    const text = 'a'.repeat(length);
    expect(planSegments(text).encoding).toBe('standard');
    expect(lengthsOf(text)).toEqual(expected);
    expect(countSegments(text, 'standard')).toBe(expected.length);
  });

  test('39,015 characters are 255 full segments', () => {
    expect(STANDARD_MESSAGE_MAX).toBe(39_015);
    expect(lengthsOf('a'.repeat(39_015))).toEqual(Array(255).fill(153));
    expect(countSegments('a'.repeat(39_015), 'standard')).toBe(255);
  });

  test('39,016 characters are too long', () => {
    expect(ruleBrokenBy('a'.repeat(39_016))).toBe('message_too_long');
    expect(countSegments('a'.repeat(39_016), 'standard')).toBe(256);
  });
});

describe('an extended message is one segment up to 70 code units, then segments of at most 63', () => {
  test.each([
    [1, [1]],
    [63, [63]],
    [64, [64]],
    [70, [70]],
    [71, [63, 8]],
    [126, [63, 63]],
    [127, [63, 63, 1]],
    [160, [63, 63, 34]],
    [189, [63, 63, 63]],
    [190, [63, 63, 63, 1]],
  ])('%d code units', (length, expected) => {
    const text = 'é'.repeat(length);
    expect(planSegments(text).encoding).toBe('extended');
    expect(lengthsOf(text)).toEqual(expected);
    expect(countSegments(text, 'extended')).toBe(expected.length);
  });

  test('16,065 code units are 255 full segments', () => {
    expect(EXTENDED_MESSAGE_MAX).toBe(16_065);
    expect(lengthsOf('é'.repeat(16_065))).toEqual(Array(255).fill(63));
  });

  test('16,066 code units are too long', () => {
    expect(ruleBrokenBy('é'.repeat(16_066))).toBe('message_too_long');
    expect(countSegments('é'.repeat(16_066), 'extended')).toBe(256);
  });

  test('one extended character decides for the whole message, wherever it stands', () => {
    for (const text of [`€${'a'.repeat(159)}`, `${'a'.repeat(80)}€${'a'.repeat(79)}`, `${'a'.repeat(159)}€`]) {
      expect(lengthsOf(text)).toEqual([63, 63, 34]);
    }
  });
});

describe('a surrogate pair is never cut', () => {
  test.each([
    ['ends at unit 70 of a single message', `${'é'.repeat(68)}${PAIR}`, [70]],
    ['would be cut by the end of a single message', `${'é'.repeat(69)}${PAIR}`, [63, 8]],
    ['ends at the first boundary', `${'é'.repeat(61)}${PAIR}${'é'.repeat(10)}`, [63, 10]],
    ['straddles the first boundary', `${'é'.repeat(62)}${PAIR}${'é'.repeat(10)}`, [62, 12]],
    ['begins at the first boundary', `${'é'.repeat(63)}${PAIR}${'é'.repeat(10)}`, [63, 12]],
    ['ends at the second boundary', `${'é'.repeat(124)}${PAIR}${'é'.repeat(5)}`, [63, 63, 5]],
    ['straddles the second boundary', `${'é'.repeat(125)}${PAIR}${'é'.repeat(5)}`, [63, 62, 7]],
    ['begins at the second boundary', `${'é'.repeat(126)}${PAIR}${'é'.repeat(5)}`, [63, 63, 7]],
    ['straddles a boundary and so makes one segment more', `${'é'.repeat(62)}${PAIR}${'é'.repeat(62)}`, [62, 63, 1]],
    ['is the last character, moved to a segment of its own', `${'é'.repeat(125)}${PAIR}`, [63, 62, 2]],
    ['follows another at every boundary', PAIR.repeat(100), [62, 62, 62, 14]],
  ])('a pair that %s', (_, text, expected) => {
    expect(lengthsOf(text)).toEqual(expected);
    expect(countSegments(text, 'extended')).toBe(expected.length);
    expect(planSegments(text).segments.every((segment) => segment.isWellFormed())).toBe(true);
  });

  test('a message of pairs alone holds 31 in each of 255 segments, and one more is too long', () => {
    expect(lengthsOf(PAIR.repeat(31 * 255))).toEqual(Array(255).fill(62));
    expect(ruleBrokenBy(PAIR.repeat(31 * 255 + 1))).toBe('message_too_long');
  });

  test('a pair at the last boundary of 16,065 code units is what makes the message too long', () => {
    const upToBoundary = 'é'.repeat(63 * 254);
    expect(lengthsOf(`${upToBoundary}${'é'.repeat(61)}${PAIR}`)).toHaveLength(255);
    expect(ruleBrokenBy(`${upToBoundary.slice(1)}${PAIR}${'é'.repeat(62)}`)).toBe('message_too_long');
  });
});

test('the split of a message that is too long says how long it is and how long it may be', () => {
  expect(() => planSegments('a'.repeat(39_016))).toThrow(/39,016 characters in 256 segments.*39,015/);
  expect(() => planSegments('é'.repeat(16_066))).toThrow(/16,066 UTF-16 code units in 256 segments.*16,065/);
});

describe('for any text', () => {
  const standardText = fc.string({ unit: fc.constantFrom(...'aZ09 @£\n'), maxLength: 1_000 });
  const extendedText = fc.string({ unit: fc.constantFrom('a', 'é', '好', PAIR, '\u{20000}'), maxLength: 500 });
  const anyText = fc.oneof(standardText, extendedText, fc.string({ unit: ANY_CHARACTER, maxLength: 300 }));

  test('the pieces join to the text, none is empty or too long, no pair is cut, and the count agrees', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { encoding, segments } = planSegments(text);
        expect(encoding).toBe(encodingOf(text));
        expect(segments.join('')).toBe(text);
        expect(countSegments(text, encoding)).toBe(segments.length);
        expect(segments.every((segment) => segment.isWellFormed())).toBe(true);
        const [single, part] = encoding === 'standard' ? [160, 153] : [70, 63];
        if (segments.length === 1) expect(text.length).toBeLessThanOrEqual(single);
        else for (const segment of segments) expect(segment.length).toBeLessThanOrEqual(part);
        if (text !== '') expect(segments).not.toContain('');
      }),
      fuzz(500),
    );
  });

  test('no piece could have taken the character that follows it', () => {
    fc.assert(
      fc.property(extendedText, (text) => {
        const { encoding, segments } = planSegments(text);
        if (segments.length === 1) return;
        for (const [index, segment] of segments.entries()) {
          const [next] = segments[index + 1] ?? '';
          if (next !== undefined)
            expect(segment.length + next.length).toBeGreaterThan(encoding === 'standard' ? 153 : 63);
        }
      }),
      fuzz(100),
    );
  });

  test('a plan has at most 255 segments, or the message is refused as too long', () => {
    const longText = fc
      .tuple(
        fc.string({ unit: fc.constantFrom('é', PAIR), minLength: 60, maxLength: 130 }),
        fc.integer({ min: 60, max: 260 }),
      )
      .map(([piece, times]) => piece.repeat(times));
    fc.assert(
      fc.property(longText, (text) => {
        const count = countSegments(text, 'extended');
        if (count > SEGMENTS_MAX) expect(ruleBrokenBy(text)).toBe('message_too_long');
        else expect(planSegments(text).segments).toHaveLength(count);
      }),
      fuzz(100),
    );
  });
});
