import { describe, expect, test } from '@jest/globals';
import { classifyAnswer } from '#carrier';

const answer = (status: number, body: unknown, retryAfter?: string) => ({
  status,
  retryAfter,
  body: typeof body === 'string' || body === undefined ? body : JSON.stringify(body),
});
const OURS = { isOwnSender: false };
const NOW_MS = Date.parse('2026-01-01T00:00:00Z');

describe('the provider took it', () => {
  test.each([
    ['201 with an id', 201, { sid: 'SM1', status: 'queued', error_code: null }, 'SM1'],
    ['200 with an id', 200, { sid: 'SM1' }, 'SM1'],
    ['an id behind a byte order mark', 201, '\ufeff{"sid":"SM1"}', 'SM1'],
    ['an empty body', 201, '', ''],
    ['a body that broke off', 201, undefined, ''],
    ['HTML', 200, '<html>', ''],
    ['JSON that is no object', 201, 'null', ''],
    ['an id that is no text', 201, { sid: 5 }, ''],
    ['an id that is far too long', 201, { sid: 'x'.repeat(65) }, ''],
    ['an id with a line break', 201, { sid: 'a\nb' }, ''],
  ])('%s: accepted', (_what, status, body, carrierMessageId) => {
    expect(classifyAnswer(answer(status, body), OURS, NOW_MS)).toEqual({
      outcome: { kind: 'accepted', carrierMessageId },
    });
  });
});

/** [status, code of the error document, what becomes of the message, what it says of the carrier] */
const POLICY: readonly (readonly [number, number | undefined, string, string | undefined])[] = [
  [400, 21211, 'refused', undefined],
  [400, 21408, 'refused', undefined],
  [400, 21610, 'refused', undefined],
  [400, 21614, 'refused', undefined],
  [400, 21617, 'refused', undefined],
  [400, 21612, 'refused', undefined],
  [403, 21408, 'refused', undefined],
  [400, 30003, 'refused', undefined],
  [400, 99999, 'refused', undefined],
  [400, undefined, 'refused', undefined],
  [409, undefined, 'refused', undefined],
  [413, undefined, 'refused', undefined],
  [422, undefined, 'refused', undefined],
  [401, 20003, 'temporary', 'account'],
  [401, undefined, 'temporary', 'account'],
  [402, undefined, 'temporary', 'account'],
  [403, 20005, 'temporary', 'account'],
  [403, undefined, 'temporary', 'account'],
  [404, 20404, 'temporary', 'account'],
  [404, undefined, 'temporary', 'account'],
  [405, undefined, 'temporary', 'account'],
  [400, 21609, 'temporary', 'account'],
  [400, 21603, 'temporary', 'account'],
  [400, 21606, 'temporary', 'account'],
  [400, 30002, 'temporary', 'account'],
  [301, undefined, 'temporary', 'account'],
  [307, undefined, 'temporary', 'account'],
  [408, undefined, 'temporary', undefined],
  [429, 20429, 'throttled', undefined],
  [429, undefined, 'throttled', undefined],
  [400, 21611, 'throttled', undefined],
  [429, 63038, 'throttled', undefined],
  [500, 20500, 'in-doubt', 'server'],
  [500, 21211, 'in-doubt', 'server'],
  [500, undefined, 'in-doubt', 'server'],
  [502, undefined, 'in-doubt', 'server'],
  [504, undefined, 'in-doubt', 'server'],
  [520, undefined, 'in-doubt', 'server'],
  [503, undefined, 'in-doubt', 'server'],
  [503, 20503, 'throttled', undefined],
];

describe('the provider did not take it, or does not say', () => {
  test.each(POLICY)('%i with code %p: %s, trouble %p', (status, code, kind, trouble) => {
    const classified = classifyAnswer(answer(status, { code, message: 'no', status }), OURS, NOW_MS);
    expect(classified).toEqual({
      outcome: { kind, code: `HTTP_${code ?? status}` },
      ...(trouble !== undefined && { trouble }),
    });
  });

  test('a message that failed within the answer is refused with the code of its failure', () => {
    const body = { sid: 'SM1', status: 'failed', error_code: 30008 };
    expect(classifyAnswer(answer(201, body), OURS, NOW_MS).outcome).toEqual({ kind: 'refused', code: 'HTTP_30008' });
    const bare = { sid: 'SM1', status: 'undelivered', error_code: null };
    expect(classifyAnswer(answer(201, bare), OURS, NOW_MS).outcome).toEqual({
      kind: 'refused',
      code: 'HTTP_UNDELIVERED',
    });
  });

  test("a sender that may not send: an account's own is refused, ours stops the carrier", () => {
    const wrongSender = answer(400, { code: 21606 });
    expect(classifyAnswer(wrongSender, { isOwnSender: true }, NOW_MS)).toEqual({
      outcome: { kind: 'refused', code: 'HTTP_21606' },
    });
    expect(classifyAnswer(wrongSender, OURS, NOW_MS).trouble).toBe('account');
  });

  test.each([
    ['429', 429, '7', 'throttled', 7_000],
    ['503', 503, '2', 'throttled', 2_000],
    ['a date', 429, 'Thu, 01 Jan 2026 00:00:30 GMT', 'throttled', 30_000],
    ['a date that is over', 429, 'Wed, 31 Dec 2025 23:00:00 GMT', 'throttled', 0],
    ['a day', 429, '86400', 'throttled', 600_000],
  ])('Retry-After of %s is honoured, up to ten minutes', (_what, status, header, kind, retryAfterMs) => {
    const classified = classifyAnswer(answer(status, '', header), OURS, NOW_MS);
    expect(classified).toEqual({ outcome: { kind, code: `HTTP_${status}` }, retryAfterMs });
  });

  test('a Retry-After that says nothing does not make a 503 harmless', () => {
    expect(classifyAnswer(answer(503, '', 'soon'), OURS, NOW_MS).outcome.kind).toBe('in-doubt');
  });

  test("the operator's word comes before the table, by code and by status", () => {
    const errorCodes = { 21211: 'temporary', 503: 'throttled', 401: 'in-doubt' } as const;
    const outcomeOf = (status: number, code?: number) =>
      classifyAnswer(answer(status, { code }), { ...OURS, errorCodes }, NOW_MS).outcome;
    expect(outcomeOf(400, 21211)).toEqual({ kind: 'temporary', code: 'HTTP_21211' });
    expect(outcomeOf(503)).toEqual({ kind: 'throttled', code: 'HTTP_503' });
    expect(outcomeOf(401, 20003)).toEqual({ kind: 'in-doubt', code: 'HTTP_20003' });
  });
});
