import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  adjustmentEntry,
  applyEntry,
  type Balances,
  type Bucket,
  creditRemaining,
  EMPTY_BALANCES,
  isLegalMovement,
  JOURNAL_KINDS,
  type JournalEntry,
  type JournalKind,
  journalEntry,
  LedgerError,
  totalConsumed,
} from '#billing';

const KINDS = Object.keys(JOURNAL_KINDS) as JournalKind[];
const BUCKETS: readonly Bucket[] = ['funding', 'available', 'reserved', 'captured'];

const balancesAfter = (...entries: JournalEntry[]): Balances => entries.reduce(applyEntry, EMPTY_BALANCES);

describe('each kind of entry moves money one way', () => {
  test.each([
    ['a deposit adds credit', [journalEntry('deposit', 10n)], 10n, 0n],
    ['a reservation takes credit', [journalEntry('deposit', 10n), journalEntry('reserve', 4n)], 6n, 4n],
    [
      'a capture costs nothing more',
      [journalEntry('deposit', 10n), journalEntry('reserve', 4n), journalEntry('capture', 4n)],
      6n,
      4n,
    ],
    [
      'a release gives the credit back',
      [journalEntry('deposit', 10n), journalEntry('reserve', 4n), journalEntry('release', 4n)],
      10n,
      0n,
    ],
    [
      'a refund gives captured credit back',
      [
        journalEntry('deposit', 10n),
        journalEntry('reserve', 4n),
        journalEntry('capture', 4n),
        journalEntry('refund', 1n),
      ],
      7n,
      3n,
    ],
    ['an adjustment adds credit', [journalEntry('deposit', 10n), adjustmentEntry(5n)], 15n, 0n],
    ['an adjustment takes credit, below 0 if it must', [journalEntry('deposit', 10n), adjustmentEntry(-12n)], -2n, 0n],
    ['a reservation within a credit limit goes below 0', [journalEntry('reserve', 3n)], -3n, 3n],
  ])('%s', (_, entries, credit, consumed) => {
    const balances = balancesAfter(...entries);
    expect(creditRemaining(balances)).toBe(credit);
    expect(totalConsumed(balances)).toBe(consumed);
  });
});

describe('the journal refuses', () => {
  test.each([
    ['an amount of 0', journalEntry('deposit', 0n), /above 0/],
    ['a negative amount', journalEntry('deposit', -1n), /above 0/],
    ['an adjustment by nothing', adjustmentEntry(0n), /above 0/],
    ['capturing more than is reserved', journalEntry('capture', 6n), /more than is reserved/],
    ['releasing more than is reserved', journalEntry('release', 6n), /more than is reserved/],
    ['refunding more than is captured', journalEntry('refund', 3n), /more than is captured/],
  ])('%s', (_, entry, rule) => {
    const balances: Balances = { deposited: 100n, reserved: 5n, captured: 2n };
    expect(() => applyEntry(balances, entry)).toThrow(LedgerError);
    expect(() => applyEntry(balances, entry)).toThrow(rule);
  });

  test('every movement between buckets that is not in the table', () => {
    const legal: string[] = [];
    for (const kind of KINDS) {
      for (const debit of BUCKETS) {
        for (const credit of BUCKETS) {
          const balances: Balances = { deposited: 9n, reserved: 9n, captured: 9n };
          const apply = () => applyEntry(balances, { kind, debit, credit, amount: 1n });
          if (!isLegalMovement(kind, debit, credit)) {
            expect(apply).toThrow(LedgerError);
            continue;
          }
          apply();
          legal.push(`${kind}: ${debit} -> ${credit}`);
        }
      }
    }
    expect(legal).toEqual([
      'deposit: funding -> available',
      'reserve: available -> reserved',
      'capture: reserved -> captured',
      'release: reserved -> available',
      'refund: captured -> available',
      'adjust: funding -> available',
      'adjust: available -> funding',
    ]);
  });
});

describe('whatever is booked', () => {
  const amount = fc.bigInt({ min: 1n, max: 1_000n });
  const entry = fc.oneof(
    fc
      .tuple(fc.constantFrom('deposit', 'reserve', 'capture', 'release', 'refund'), amount)
      .map(([kind, size]) => journalEntry(kind, size)),
    fc.tuple(fc.boolean(), amount).map(([down, size]) => adjustmentEntry(down ? -size : size)),
  );

  /** Books what the rules allow, and skips the rest as the database would refuse it. */
  function book(entries: readonly JournalEntry[]): { balances: Balances; booked: JournalEntry[] } {
    const booked: JournalEntry[] = [];
    let balances = EMPTY_BALANCES;
    for (const candidate of entries) {
      try {
        balances = applyEntry(balances, candidate);
        booked.push(candidate);
      } catch (error) {
        expect(error).toBeInstanceOf(LedgerError);
      }
    }
    return { balances, booked };
  }

  test('consumption is deposits minus the credit that remains, and what is reserved or captured is never below 0', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 40 }), (entries) => {
        const { balances } = book(entries);
        expect(totalConsumed(balances)).toBe(balances.deposited - creditRemaining(balances));
        expect(balances.reserved >= 0n && balances.captured >= 0n).toBe(true);
      }),
    );
  });

  test('the journal alone gives the balances again, and its buckets add up to nothing', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 40 }), (entries) => {
        const { balances, booked } = book(entries);
        const sums: Record<Bucket, bigint> = { funding: 0n, available: 0n, reserved: 0n, captured: 0n };
        for (const { debit, credit, amount: size } of booked) {
          sums[debit] -= size;
          sums[credit] += size;
        }
        expect(sums.funding + sums.available + sums.reserved + sums.captured).toBe(0n);
        expect(-sums.funding).toBe(balances.deposited);
        expect(sums.available).toBe(creditRemaining(balances));
        expect(sums.reserved + sums.captured).toBe(totalConsumed(balances));
      }),
    );
  });
});
