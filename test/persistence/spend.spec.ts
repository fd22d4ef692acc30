import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { acceptMessages, cancelOrders, type GuardedRequest } from '#persistence';
import { requestOf, SEGMENT_PRICE, TestLedger } from '../support/test-ledger.js';

const SETTINGS = { validitySeconds: 3_600, sweepAfterSeconds: 10 };

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterAll(async () => {
  await ledger.expectClean();
  await ledger.close();
});

type Caps = Pick<GuardedRequest, 'spendDayMax' | 'spendMonthMax'>;

/** One message of one segment, by a connection that has another time zone. */
async function send(accountId: string, caps: Caps, zone = 'UTC') {
  const message = ledger.message();
  const request = { ...requestOf(message), guards: { version: 0, ...caps } };
  const [verdict] = await ledger.database.transaction(async (transaction) => {
    await transaction.query(`set local timezone = '${zone}'`);
    return acceptMessages(transaction, [{ accountId, request }], SETTINGS);
  });
  return { ...verdict, id: message.id };
}

/** As if the last message had been accepted so long ago. */
const age = (accountId: string, interval: string) =>
  ledger.database.query('update account_balance set spent_on = spent_on - $2::interval where account_id = $1', [
    accountId,
    interval,
  ]);

describe.each([
  ['day', { spendDayMax: SEGMENT_PRICE }, '1 day', 'spend_day'],
  ['month', { spendMonthMax: SEGMENT_PRICE }, '1 month', 'spend_month'],
] as const)('what an account may spend in a %s', (_period, caps, interval, verdict) => {
  // At any moment it is another day than in UTC in one of these.
  test.each(['Pacific/Kiritimati', 'Etc/GMT+12'])(
    'is counted by the clock of UTC in a database of %s',
    async (zone) => {
      const accountId = await ledger.account(5);
      expect(await send(accountId, caps, zone)).toMatchObject({ kind: 'accepted' });
      expect(await send(accountId, caps)).toMatchObject({ kind: verdict, spent: SEGMENT_PRICE });
      expect(await send(accountId, caps, zone)).toMatchObject({ kind: verdict, spent: SEGMENT_PRICE });
    },
  );

  test('begins anew with the next one, to which nothing of the one before is given back', async () => {
    const accountId = await ledger.account(5);
    const before = await send(accountId, caps);
    expect(before).toMatchObject({ kind: 'accepted' });
    await age(accountId, interval);
    const now = await send(accountId, caps);
    expect(now).toMatchObject({ kind: 'accepted' });
    await cancelOrders(ledger.database, accountId, [before.id]);
    expect(await send(accountId, caps)).toMatchObject({ kind: verdict, spent: SEGMENT_PRICE });
    await cancelOrders(ledger.database, accountId, [now.id]);
    expect(await send(accountId, caps)).toMatchObject({ kind: 'accepted' });
  });

  test('is counted anew when it was counted by a clock that was ahead', async () => {
    const accountId = await ledger.account(5);
    expect(await send(accountId, caps)).toMatchObject({ kind: 'accepted' });
    await age(accountId, '-40 days');
    expect(await send(accountId, caps)).toMatchObject({ kind: 'accepted' });
    expect(await send(accountId, caps)).toMatchObject({ kind: verdict, spent: SEGMENT_PRICE });
    await ledger.expectClean();
    await age(accountId, interval);
    expect(await send(accountId, caps)).toMatchObject({ kind: 'accepted' });
  });
});
