import { describe, expect, test } from '@jest/globals';
import { adjustmentEntry, creditRemaining, journalEntry, totalConsumed } from '#billing';

describe('each kind of entry moves money one way', () => {
  test.each([
    ['a deposit', journalEntry('deposit', 10n), 'funding', 'available'],
    ['a reservation', journalEntry('reserve', 10n), 'available', 'reserved'],
    ['a capture', journalEntry('capture', 10n), 'reserved', 'captured'],
    ['a release', journalEntry('release', 10n), 'reserved', 'available'],
    ['a refund', journalEntry('refund', 10n), 'captured', 'available'],
    ['an adjustment that adds credit', adjustmentEntry(10n), 'funding', 'available'],
    ['an adjustment that takes credit', adjustmentEntry(-10n), 'available', 'funding'],
  ])('%s', (_, entry, debit, credit) => {
    expect(entry).toMatchObject({ debit, credit, amount: 10n });
  });
});

describe('what an account may spend', () => {
  test.each([
    ['new', { deposited: 0n, reserved: 0n, captured: 0n }, 0n, 0n],
    ['with open messages', { deposited: 10n, reserved: 4n, captured: 0n }, 6n, 4n],
    ['whose messages were sent', { deposited: 10n, reserved: 0n, captured: 4n }, 6n, 4n],
    ['within its credit limit', { deposited: 0n, reserved: 3n, captured: 0n }, -3n, 3n],
    ['after an adjustment', { deposited: -2n, reserved: 0n, captured: 0n }, -2n, 0n],
  ])('of an account %s is its deposits minus what its messages cost', (_, balances, credit, consumed) => {
    expect(creditRemaining(balances)).toBe(credit);
    expect(totalConsumed(balances)).toBe(consumed);
  });
});
