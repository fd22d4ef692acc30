import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  buildTariff,
  isViolation,
  type MessageQuote,
  type MessageRequest,
  parseMicros,
  planSegments,
  quoteMessage,
  violationsOf,
} from '#billing';
import { ANY_CHARACTER, fuzz } from '../support/fuzz.js';

const tariff = buildTariff([
  { prefix: '49', price: parseMicros('0.075') },
  { prefix: '1', price: parseMicros('0.0079') },
]);

function quoted(recipient: string, message: string): MessageQuote {
  const answer = quoteMessage({ recipient, message }, tariff);
  if (isViolation(answer)) throw new Error(answer.detail);
  return answer;
}

function codeOf(recipient: string, message: string): string | undefined {
  const answer = quoteMessage({ recipient, message }, tariff);
  return isViolation(answer) ? answer.code : undefined;
}

describe('every segment is charged separately at the price of the destination', () => {
  test.each([
    ['160 standard characters', 'a'.repeat(160), 'standard', 1, '0.075'],
    ['161 standard characters', 'a'.repeat(161), 'standard', 2, '0.15'],
    ['39,015 standard characters', 'a'.repeat(39_015), 'standard', 255, '19.125'],
    ['70 extended code units', 'é'.repeat(70), 'extended', 1, '0.075'],
    ['71 extended code units', 'é'.repeat(71), 'extended', 2, '0.15'],
    ['16,065 extended code units', 'é'.repeat(16_065), 'extended', 255, '19.125'],
  ])('%s', (_, message, encoding, segments, price) => {
    expect(quoted('+49 170 1234567', message)).toEqual({
      destination: '491701234567',
      encoding,
      segments,
      unitPrice: parseMicros('0.075'),
      price: parseMicros(price),
    });
  });

  test('the price is that of the destination', () => {
    expect(quoted('0012025550123', 'hello').price).toBe(parseMicros('0.0079'));
  });

  test('for any text that may be sent, price = pieces x unit price, and the pieces are those that go on the wire', () => {
    const text = fc
      .string({ unit: fc.constantFrom('a', ' ', '\n', '€', '好', '\u{1f600}'), minLength: 1, maxLength: 600 })
      .filter((message) => message.trim() !== '');
    fc.assert(
      fc.property(text, (message) => {
        const quote = quoted('491701234567', message);
        const plan = planSegments(message);
        expect(quote.encoding).toBe(plan.encoding);
        expect(quote.segments).toBe(plan.segments.length);
        expect(quote.price).toBe(BigInt(plan.segments.length) * quote.unitPrice);
      }),
      fuzz(300),
    );
  });
});

describe('a message that breaks a rule is refused by its code', () => {
  test.each([
    ['a recipient that is no number', 'nobody', 'hello', 'recipient_invalid'],
    ['a destination without a price', '+33612345678', 'hello', 'no_rate'],
    ['an empty text', '491701234567', '', 'message_empty'],
    ['a blank text', '491701234567', ' \n ', 'message_empty'],
    ['a control character', '491701234567', 'a\u0000b', 'message_invalid_character'],
    ['a tab', '491701234567', 'a\tb', 'message_invalid_character'],
    ['half a surrogate pair', '491701234567', 'a\ud83d', 'message_invalid_character'],
    ['39,016 standard characters', '491701234567', 'a'.repeat(39_016), 'message_too_long'],
    ['16,066 extended code units', '491701234567', 'é'.repeat(16_066), 'message_too_long'],
    ['39,016 extended code units', '491701234567', 'é'.repeat(39_016), 'message_too_long'],
  ])('%s', (_, recipient, message, code) => {
    expect(codeOf(recipient, message)).toBe(code);
  });

  test('a length that is allowed is never too long', () => {
    expect(codeOf('491701234567', 'a'.repeat(39_015))).toBeUndefined();
    expect(codeOf('491701234567', 'é'.repeat(16_065))).toBeUndefined();
  });

  test('the detail names the character and the place', () => {
    const [control] = violationsOf({ recipient: '491701234567', message: 'ab\u0007' }, tariff);
    expect(control?.detail).toMatch(/U\+0007, a control character, at position 2/);
    const [half] = violationsOf({ recipient: '491701234567', message: '\u{1f600}\ude00' }, tariff);
    expect(half?.detail).toMatch(/U\+DE00, half of a surrogate pair, at position 2/);
  });

  test('the detail says what was counted and what is allowed', () => {
    const [violation] = violationsOf({ recipient: '491701234567', message: 'é'.repeat(20_000) }, tariff);
    expect(violation?.detail).toMatch(/20,000 UTF-16 code units in 318 segments.*255 segments of 63.*16,065/);
  });

  test('no detail repeats the number or the text', () => {
    const request = { recipient: '+33 99 SECRET', message: `SECRET\u0001${'SECRET'.repeat(10)}` };
    for (const { detail } of violationsOf(request, tariff)) expect(detail).not.toMatch(/SECRET/);
  });
});

describe('every fault of a message is named at once', () => {
  test.each([
    ['none', '491701234567', 'hello', []],
    ['recipient and text', 'x', '', ['recipient/recipient_invalid', 'message/message_empty']],
    ['price and text', '33612345678', 'a\u0000', ['recipient/no_rate', 'message/message_invalid_character']],
    ['recipient alone', 'x', 'hello', ['recipient/recipient_invalid']],
    ['text alone', '491701234567', ' ', ['message/message_empty']],
  ])('%s', (_, recipient, message, expected) => {
    const violations = violationsOf({ recipient, message }, tariff);
    expect(violations.map(({ field, code }) => `${field}/${code}`)).toEqual(expected);
  });

  test('there is a fault to name exactly when there is no quote', () => {
    const request: fc.Arbitrary<MessageRequest> = fc.record({
      recipient: fc.constantFrom('491701234567', '+1 202 5550123', '33612345678', 'x'),
      message: fc.oneof(
        fc.constantFrom('', ' ', 'a\t', '\ud800'),
        fc.string({ maxLength: 20 }),
        fc.string({ unit: ANY_CHARACTER }),
      ),
    });
    fc.assert(
      fc.property(request, (entry) => {
        const answer = quoteMessage(entry, tariff);
        const violations = violationsOf(entry, tariff);
        expect(violations.length > 0).toBe(isViolation(answer));
        if (isViolation(answer)) expect(violations).toContainEqual(answer);
      }),
      fuzz(500),
    );
  });
});
