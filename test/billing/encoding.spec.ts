import { describe, expect, test } from '@jest/globals';
import { buildTariff, encodingOf, offendingCharacters, violationsOf } from '#billing';

const NO_PRICES = buildTariff([]);
/** The rule that a text breaks, as a client is told. */
const ruleBroken = (message: string) => violationsOf({ message }, NO_PRICES)[0]?.code;

/** The standard set, written out by hand from the contract: every character that a one-byte message may contain. */
const STANDARD_SET = [
  '\r\n',
  ' !"#$%&\'()*+,-.',
  '0123456789:;<=>?',
  '@ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  '_abcdefghijklmnopqrstuvwxyz',
  '£¥§¤¡¿',
].join('');

const named = (character: string) =>
  `${JSON.stringify(character)} U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

describe('the standard set', () => {
  test.each([...STANDARD_SET].map((character) => [named(character), character]))('%s is standard', (_, character) => {
    expect(encodingOf(character)).toBe('standard');
    expect(encodingOf(`a${character}b`)).toBe('standard');
    expect(offendingCharacters(character)).toEqual([]);
    expect(ruleBroken(`a${character}`)).toBeUndefined();
  });

  test('has 93 characters, and every other UTF-16 code unit makes a message extended', () => {
    const standard: string[] = [];
    for (let unit = 0; unit <= 0xffff; unit++) {
      const character = String.fromCharCode(unit);
      if (encodingOf(character) === 'standard') standard.push(character);
    }
    expect(standard.join('')).toBe([...STANDARD_SET].sort().join(''));
    expect(standard).toHaveLength(93);
  });
});

describe('characters that the contract names as extended', () => {
  const contractsList: [string, string][] = [
    ['the caret', '^'],
    ['the slash', '/'],
    ['the opening brace', '{'],
    ['the closing brace', '}'],
    ['the backslash', '\\'],
    ['the opening bracket', '['],
    ['the closing bracket', ']'],
    ['the vertical bar', '|'],
    ['the opening curly double quote', '\u201c'],
    ['the closing curly double quote', '\u201d'],
    ['the low curly double quote', '\u201e'],
    ['the en dash', '\u2013'],
    ['the small tilde', '\u02dc'],
    ['the trademark sign', '\u2122'],
    ['the euro sign', '\u20ac'],
  ];
  const furtherClasses: [string, string][] = [
    ['the tilde', '~'],
    ['the backtick', '`'],
    ['the em dash', '\u2014'],
    ['the curly apostrophe', '\u2019'],
    ['the ellipsis', '\u2026'],
    ['the no-break space', '\u00a0'],
    ['the byte order mark', '\ufeff'],
    ['a letter with a diacritic that Latin-1 has', 'é'],
    ['a letter with a diacritic that GSM 03.38 has', 'ä'],
    ['a ligature', 'Æ'],
    ['a sharp s', 'ß'],
    ['a combining accent', '\u0301'],
    ['a Greek capital that GSM 03.38 has', 'Δ'],
    ['Cyrillic', 'Ж'],
    ['Arabic', 'س'],
    ['Chinese', '好'],
    ['a sign of Latin-1 that is not on the list', '©'],
    ['emoji', '\u{1f600}'],
    ['a supplementary ideograph', '\u{20000}'],
  ];

  test.each([...contractsList, ...furtherClasses])('%s makes the whole message extended', (_, character) => {
    expect(encodingOf(character)).toBe('extended');
    expect(encodingOf(`plain text ${character}`)).toBe('extended');
    expect(encodingOf(`${character}${'a'.repeat(200)}`)).toBe('extended');
    expect(ruleBroken(`a${character}`)).toBeUndefined();
  });

  test.each('ÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝàáâãäåçèéêëìíîïñòóôõöøùúûüýÿĄąĆćĘęŁłŃńŚśŹźŻżŐőŰűĞğŞş'.split(''))(
    'the diacritic %s makes the whole message extended',
    (letter) => {
      expect(encodingOf(letter)).toBe('extended');
    },
  );
});

describe('the list of offending characters', () => {
  test('gives each character, its position in UTF-16 code units and its code point, in order', () => {
    expect(offendingCharacters('5 € {ok} é')).toEqual([
      { character: '€', position: 2, codePoint: 'U+20AC' },
      { character: '{', position: 4, codePoint: 'U+007B' },
      { character: '}', position: 7, codePoint: 'U+007D' },
      { character: 'é', position: 9, codePoint: 'U+00E9' },
    ]);
  });

  test('keeps surrogate pairs whole', () => {
    expect(offendingCharacters('a\u{1f600}b\u{1f680}~')).toEqual([
      { character: '\u{1f600}', position: 1, codePoint: 'U+1F600' },
      { character: '\u{1f680}', position: 4, codePoint: 'U+1F680' },
      { character: '~', position: 6, codePoint: 'U+007E' },
    ]);
  });

  test('stops at its bound: 100, or what the caller asks for', () => {
    expect(offendingCharacters('€'.repeat(500))).toHaveLength(100);
    expect(offendingCharacters('€'.repeat(500), 3).map(({ position }) => position)).toEqual([0, 1, 2]);
    expect(offendingCharacters('€', 0)).toEqual([]);
  });

  test('answers the same when asked again', () => {
    expect(offendingCharacters('x€')).toEqual(offendingCharacters('x€'));
  });
});

describe('a message must have something to read', () => {
  test.each([
    ['nothing', ''],
    ['a space', ' '],
    ['spaces and line breaks', '  \r\n \n'],
    ['a no-break space', '\u00a0'],
    ['an ideographic space', '\u3000'],
    ['tabs', '\t\t'],
    ['39,015 spaces', ' '.repeat(39_015)],
  ])('%s is an empty message', (_, text) => {
    expect(ruleBroken(text)).toBe('message_empty');
  });

  test('one character between white space is enough', () => {
    expect(ruleBroken(' \n.\n ')).toBeUndefined();
  });
});

describe('a message holds no control characters and no halves of surrogate pairs', () => {
  const controls = [...Array(0x20).keys(), 0x7f, ...Array.from({ length: 0x20 }, (_, index) => 0x80 + index)].filter(
    (code) => code !== 0x0a && code !== 0x0d,
  );

  test.each(controls.map((code) => [named(String.fromCharCode(code)), String.fromCharCode(code)]))(
    '%s is refused wherever it stands',
    (_, control) => {
      for (const text of [`${control}a`, `a${control}b`, `ab${control}`, `é${control}`, `\u{1f600}${control}`]) {
        expect(ruleBroken(text)).toBe('message_invalid_character');
      }
    },
  );

  test.each([
    ['a high half at the end', 'a\ud83d'],
    ['a high half before a letter', '\ud83da'],
    ['a low half at the start', '\ude00a'],
    ['a low half after a letter', 'a\ude00'],
    ['the halves in the wrong order', 'a\ude00\ud83d'],
    ['a half after a whole pair', 'a\u{1f600}\ud83d'],
    ['a doubled high half', 'a\ud83d\ud83d\ude00'],
  ])('%s is refused', (_, text) => {
    expect(ruleBroken(text)).toBe('message_invalid_character');
  });

  test.each([
    ['CR and LF', 'line\r\nline'],
    ['whole pairs', '\u{1f600}\u{10ffff}\u{10000}'],
    ['the neighbours of the control ranges', ' ~\u00a0'.concat('a')],
    ['the neighbours of the surrogate range', '\ud7ff\ue000'],
  ])('%s are let through', (_, text) => {
    expect(ruleBroken(text)).toBeUndefined();
  });
});
