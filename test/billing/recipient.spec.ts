import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseRecipient, RECIPIENT_LENGTH_MAX, RECIPIENT_PATTERN } from '#billing';
import { fuzz } from '../support/fuzz.js';

/** As the OpenAPI document says it. */
function isDocumented(text: string): boolean {
  return text.length <= RECIPIENT_LENGTH_MAX && new RegExp(RECIPIENT_PATTERN).test(text);
}

describe('a recipient may be written', () => {
  test.each([
    ['as bare digits', '491701234567'],
    ['with a plus sign', '+491701234567'],
    ['with 00', '00491701234567'],
    ['with spaces', '+49 170 1234567'],
    ['with dots', '+49.170.123.45.67'],
    ['with dashes', '+49-170-1234567'],
    ['with parentheses', '+49 (170) 1234567'],
    ['with a separator before the plus sign', ' (+49) 170 1234567 '],
    ['with separators inside 00', '0 0 49 170 1234567'],
  ])('%s', (_, text) => {
    expect(parseRecipient(text)).toBe('491701234567');
    expect(isDocumented(text)).toBe(true);
  });

  test.each([
    ['7 digits', '2901234'],
    ['15 digits', '123456789012345'],
  ])('with %s', (_, text) => {
    expect(parseRecipient(text)).toBe(text);
    expect(parseRecipient(`+${text}`)).toBe(text);
    expect(parseRecipient(`00${text}`)).toBe(text);
    expect(['', '+', '00'].map((prefix) => isDocumented(`${prefix}${text}`))).toEqual([true, true, true]);
  });
});

describe('a recipient is refused', () => {
  test.each([
    ['when it is empty', ''],
    ['when it has separators only', ' ().-'],
    ['with a plus sign alone', '+'],
    ['with 00 alone', '00'],
    ['with 6 digits', '123456'],
    ['with 6 digits after 00', '00123456'],
    ['with 16 digits', '1234567890123456'],
    ['in national form', '01701234567'],
    ['with 00 after a plus sign', '+00491701234567'],
    ['with three zeros', '000491701234567'],
    ['with a plus sign inside', '49+1701234567'],
    ['with two plus signs', '++491701234567'],
    ['with a plus sign after 00', '00+491701234567'],
    ['with letters', '49170CALLME'],
    ['with a slash', '49170/1234567'],
    ['with a line break', '491701234567\n'],
    ['with a tab', '49\t1701234567'],
    ['with a no-break space', '49\u00a01701234567'],
    ['with digits of another script', '٤٩١٧٠١٢٣٤٥٦٧'],
    ['with fullwidth digits', '４９１７０１２３４５６７'],
    ['with an extension', '+49 170 1234567 x12'],
    ['with two numbers', '491701234567,491701234568'],
    ['when it is longer than 64 characters', `${' '.repeat(53)}491701234567`],
  ])('%s', (_, text) => {
    expect(parseRecipient(text)).toBeUndefined();
    expect(isDocumented(text)).toBe(false);
  });

  test('but not when its separators just fit 64 characters', () => {
    expect(parseRecipient(`${' '.repeat(52)}491701234567`)).toBe('491701234567');
  });
});

test('any E.164 number is found again, however it is written', () => {
  const number = fc.stringMatching(/^[1-9][0-9]{6,14}$/);
  const separator = fc.constantFrom('', '', ' ', '-', '.', '(', ')');
  const written = fc
    .tuple(fc.constantFrom('', '+', '00'), number, fc.array(separator, { minLength: 17, maxLength: 17 }))
    .map(([mark, digits, separators]) => ({
      digits,
      text: [...`${mark}${digits}`].map((character, index) => `${separators[index]}${character}`).join(''),
    }));
  fc.assert(
    fc.property(written, ({ digits, text }) => expect(parseRecipient(text)).toBe(digits)),
    fuzz(100),
  );
});

test('what comes out is always 7 to 15 digits beginning with 1 to 9', () => {
  const text = fc.string({ unit: fc.constantFrom(...'+0019 .-()a'), maxLength: 70 });
  fc.assert(
    fc.property(text, (recipient) => {
      const digits = parseRecipient(recipient);
      if (digits !== undefined) expect(digits).toMatch(/^[1-9][0-9]{6,14}$/);
      expect(isDocumented(recipient)).toBe(digits !== undefined);
    }),
    fuzz(1_000),
  );
});
