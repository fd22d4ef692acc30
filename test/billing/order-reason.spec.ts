import { describe, expect, test } from '@jest/globals';
import { changeReason, ORDER_REASONS, ORDER_STATES, orderEnd } from '#billing';

describe('why a message ended', () => {
  test.each([
    ['failed', 'ESME_RINVDSTADR', 'refused_by_carrier', 'ESME_RINVDSTADR'],
    ['failed', '0x00000400', 'refused_by_carrier', '0x00000400'],
    ['failed', 'TEXT_TOO_LONG', 'refused_by_carrier', undefined],
    ['failed', 'NO_ROUTE', 'no_route', undefined],
    ['failed', 'VALIDITY_OVER', 'validity_over', undefined],
    ['failed', 'REFUNDED', 'refunded_by_operator', undefined],
    ['undelivered', 'UNDELIV/034', 'undeliverable', 'UNDELIV/034'],
    ['undelivered', 'FAILED', 'undeliverable', 'FAILED'],
    ['undelivered', '30003', 'undeliverable', '30003'],
    ['undelivered', undefined, 'undeliverable', undefined],
    ['undelivered', 'EXPIRED', 'expired_at_carrier', 'EXPIRED'],
    ['undelivered', 'REJECTD/1', 'rejected_at_carrier', 'REJECTD/1'],
    ['undelivered', 'DELETED', 'deleted_at_carrier', 'DELETED'],
    ['undelivered', 'SKIPPED', 'deleted_at_carrier', 'SKIPPED'],
    ['unknown', 'NO_RECEIPT', 'no_receipt', undefined],
    ['unknown', 'FATE_UNKNOWN', 'no_answer', undefined],
    ['unknown', undefined, 'no_answer', undefined],
    ['canceled', 'OPTED_OUT', 'recipient_opted_out', undefined],
    ['canceled', 'ESME_RTHROTTLED', undefined, undefined],
    ['delivered', 'DELIVRD', undefined, 'DELIVRD'],
    ['queued', 'ESME_RTHROTTLED', undefined, undefined],
    ['sending', 'ESME_RSYSERR', undefined, undefined],
    ['sent', undefined, undefined, undefined],
  ] as const)('%s with the code %s: %s', (state, code, reason, carrierCode) => {
    expect(orderEnd(state, code)).toEqual({ reason, carrierCode });
  });

  test('every state that is neither open nor delivered has one', () => {
    const withReason = ORDER_STATES.filter((state) => orderEnd(state, undefined).reason !== undefined);
    expect(withReason).toEqual(['undelivered', 'failed', 'unknown']);
  });

  test('every reason has a meaning', () => {
    for (const meaning of Object.values(ORDER_REASONS)) expect(meaning).toMatch(/^[a-z].+[^.]$/);
  });
});

describe('why a message changed its state', () => {
  test.each([
    ['queued', 'ESME_RTHROTTLED', { carrierCode: 'ESME_RTHROTTLED' }],
    ['queued', 'HTTP_429', { carrierCode: 'HTTP_429' }],
    ['queued', 'SLOT_SPENT', {}],
    ['queued', undefined, {}],
    ['sending', undefined, {}],
    ['failed', 'VALIDITY_OVER', { reason: 'validity_over' }],
    ['undelivered', 'EXPIRED', { reason: 'expired_at_carrier', carrierCode: 'EXPIRED' }],
    ['delivered', 'DELIVRD', { carrierCode: 'DELIVRD' }],
  ] as const)('to %s with the code %s', (to, code, told) => {
    expect(changeReason(to, code)).toEqual(told);
  });
});
