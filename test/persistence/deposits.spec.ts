import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  adjustBalance,
  bookDeposit,
  createAccount,
  Database,
  findAccount,
  setCreditLimit,
  setFxRate,
  verifyLedger,
} from '#persistence';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { openAccount } from './ledger-traffic.js';

const EUR = 1_000_000n;

describe('money that comes in', () => {
  let server: TestDatabase;
  let database: Database;
  let accountId: string;

  beforeAll(async () => {
    server = await createTestDatabase();
    database = await Database.open({ url: server.url, poolSize: 8, applicationName: 'spec' });
    await openAccount(database);
  });
  beforeEach(async () => {
    accountId = (await createAccount(database, { name: `Payer ${randomUUID()}`, currency: 'EUR' })).account.accountId;
  });
  afterAll(async () => {
    expect((await verifyLedger(database)).checks.filter((check) => check.offenders > 0)).toEqual([]);
    await database.close();
    await server.drop();
  });

  test('64 deposits at the same time are all booked, to the last micro-unit', async () => {
    const amounts = Array.from({ length: 64 }, (_, index) => BigInt(index + 1) * 1_000_001n);
    const bookings = await Promise.all(
      amounts.map((amount) => bookDeposit(database, accountId, { amount, currency: 'EUR' })),
    );
    const sum = amounts.reduce((total, amount) => total + amount, 0n);
    expect((await findAccount(database, accountId)).deposited).toBe(sum);
    const numbers = bookings.map(({ deposit }) => Number(deposit.depositNumber)).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 64 }, (_, index) => index + 1));
  });

  test('32 deposits with one reference at the same time are one deposit', async () => {
    const bookings = await Promise.all(
      Array.from({ length: 32 }, () =>
        bookDeposit(database, accountId, { amount: 5n * EUR, currency: 'EUR', reference: 'once' }),
      ),
    );
    expect(bookings.filter(({ repeated }) => !repeated)).toHaveLength(1);
    expect(new Set(bookings.map(({ deposit }) => deposit.depositNumber))).toEqual(new Set([1n]));
    expect((await findAccount(database, accountId)).deposited).toBe(5n * EUR);
  });

  test('a reference that was used for another amount or currency is refused and books nothing', async () => {
    await setFxRate(database, 'USD', 'EUR', '0.9');
    await bookDeposit(database, accountId, { amount: EUR, currency: 'EUR', reference: 'invoice-1' });
    for (const [amount, currency] of [
      [2n * EUR, 'EUR'],
      [EUR, 'USD'],
    ] as const) {
      await expect(bookDeposit(database, accountId, { amount, currency, reference: 'invoice-1' })).rejects.toThrow(
        'the reference invoice-1 was booked before with another amount or currency',
      );
    }
    expect((await findAccount(database, accountId)).deposited).toBe(EUR);
  });

  test('two accounts may use the same reference', async () => {
    const other = (await createAccount(database, { name: `Other ${randomUUID()}`, currency: 'EUR' })).account.accountId;
    for (const id of [accountId, other]) {
      const booking = await bookDeposit(database, id, { amount: EUR, currency: 'EUR', reference: 'march' });
      expect(booking.repeated).toBe(false);
    }
  });

  test('another currency is converted once, and a rate that changes later changes no deposit', async () => {
    await setFxRate(database, 'GBP', 'EUR', '1.155');
    const first = await bookDeposit(database, accountId, { amount: 10n * EUR, currency: 'GBP', reference: 'pounds' });
    expect(first.deposit).toMatchObject({ accountAmount: 11_550_000n, fxRate: '1.155', currency: 'GBP' });
    await setFxRate(database, 'GBP', 'EUR', '2');
    const again = await bookDeposit(database, accountId, { amount: 10n * EUR, currency: 'GBP', reference: 'pounds' });
    expect(again).toMatchObject({ repeated: true, deposit: { accountAmount: 11_550_000n, fxRate: '1.155' } });
    const second = await bookDeposit(database, accountId, { amount: 10n * EUR, currency: 'GBP' });
    expect(second.deposit).toMatchObject({ accountAmount: 20_000_000n, fxRate: '2' });
    expect((await findAccount(database, accountId)).deposited).toBe(31_550_000n);
  });

  test('a currency without a rate is refused in words that say what to do', async () => {
    await expect(bookDeposit(database, accountId, { amount: EUR, currency: 'CHF' })).rejects.toThrow(
      'no exchange rate from CHF to EUR: set it with `smsctl fx set CHF EUR RATE`',
    );
  });

  test.each([
    ['no money', { amount: 0n, currency: 'EUR' }, 'a deposit is above 0'],
    ['a negative amount', { amount: -1n, currency: 'EUR' }, 'a deposit is above 0'],
    ['an empty reference', { amount: 1n, currency: 'EUR', reference: ' ' }, 'a reference has 1 to 255 characters'],
    ['more than an account can hold', { amount: 9_223_372_036_854_775_807n, currency: 'EUR' }, 'would not fit 64 bits'],
  ])('%s is refused', async (_what, wanted, reason) => {
    await bookDeposit(database, accountId, { amount: EUR, currency: 'EUR' });
    await expect(bookDeposit(database, accountId, wanted)).rejects.toThrow(reason);
    expect((await findAccount(database, accountId)).deposited).toBe(EUR);
  });

  test('the balance and the credit limit together fit 64 bits, whichever of them comes last', async () => {
    const most = 9_223_372_036_854_775_807n;
    await setCreditLimit(database, accountId, EUR);
    await expect(bookDeposit(database, accountId, { amount: most, currency: 'EUR' })).rejects.toThrow(
      'the balance and the credit limit together would not fit 64 bits',
    );
    await bookDeposit(database, accountId, { amount: most - EUR, currency: 'EUR' });
    await expect(setCreditLimit(database, accountId, EUR + 1n)).rejects.toThrow(
      'the balance and the credit limit together would not fit 64 bits',
    );
    expect((await findAccount(database, accountId)).creditLimit).toBe(EUR);
    await expect(
      adjustBalance(database, accountId, { amount: -most - 1n, reason: 'x', isMeant: true }),
    ).rejects.toThrow('the balance and the credit limit together would not fit 64 bits');
  });

  test.each(['1', '999999', 'abc', '-1', '', '99999999999999999999', "1'--"])(
    'there is no account "%s"',
    async (id) => {
      await expect(bookDeposit(database, id, { amount: EUR, currency: 'EUR' })).rejects.toThrow(
        `there is no account ${id}`,
      );
    },
  );

  test('an adjustment corrects the balance either way, even below zero, and is listed with its reason', async () => {
    await bookDeposit(database, accountId, { amount: EUR, currency: 'EUR' });
    await adjustBalance(database, accountId, { amount: 500_000n, reason: 'goodwill' });
    const down = await adjustBalance(database, accountId, { amount: -2n * EUR, reason: 'charge-back', isMeant: true });
    expect(down).toMatchObject({
      available: -500_000n,
      deposit: { kind: 'adjustment', reason: 'charge-back', depositNumber: 3n },
    });
    expect((await findAccount(database, accountId)).deposited).toBe(-500_000n);
    await expect(adjustBalance(database, accountId, { amount: 0n, reason: 'nothing' })).rejects.toThrow('cannot be 0');
    await expect(adjustBalance(database, accountId, { amount: 1n, reason: '  ' })).rejects.toThrow('a reason has');
  });
});
