import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { carrierTestAccount, changeAccount, startScheduled, storeInbound } from '#persistence';
import { inboundDelivery } from '../support/inbound.js';
import { answer, batchOf, TestLedger } from '../support/test-ledger.js';

const NUMBER = '46769000001';

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterAll(() => ledger.close());

/** Who gets a message from a handset to which nothing was sent, by a carrier whose own sender is the number. */
async function accountOf(source: string, isSenderFixed = false): Promise<unknown> {
  const carrier = { carrierId: ledger.carrierId, sender: `+${NUMBER}`, isSenderFixed };
  await storeInbound(ledger.database, carrier, [inboundDelivery({ source, destination: NUMBER })]);
  const [row] = await ledger.database.query(
    'select account_id as account, unassigned from inbound_message where source = $1',
    [source],
  );
  return row;
}

test("the only account whose messages have the carrier's sender sends from it alone; of two, nobody is guessed", async () => {
  await carrierTestAccount(ledger.database);
  const own = await ledger.account(10);
  await changeAccount(ledger.database, own, { sender: '46769000002' });
  expect(await accountOf('46709000001')).toEqual({ account: null, unassigned: 'unknown' });
  const account = await ledger.account(10);
  expect(await accountOf('46709000002')).toEqual({ account, unassigned: null });
  expect(await accountOf('46709000003', true)).toEqual({ account: null, unassigned: 'ambiguous' });
  await ledger.account(10);
  expect(await accountOf('46709000004')).toEqual({ account: null, unassigned: 'ambiguous' });
});

test('of two messages to a handset, the one that was sent last is answered, also if it was accepted first', async () => {
  const [source, number] = ['46709000005', '46769000003'];
  const [one, other] = [await ledger.account(10), await ledger.account(10)];
  for (const accountId of [one, other]) await changeAccount(ledger.database, accountId, { sender: number });
  const to = { destination: source, recipient: source };
  const sent = async (id: string) => ledger.record([answer(await ledger.claimed(id), 1, 'accepted')]);
  const later = await ledger.queued(one, 1, { ...to, sendAt: new Date(Date.now() + 3_600_000) });
  for (const accountId of [one, other]) await sent((await ledger.queued(accountId, 1, to)).id);
  await ledger.database.query(`update message_order set send_at = now() - interval '1 second' where send_at > now()`);
  await ledger.database.query('update order_schedule set send_at = now()');
  await startScheduled(ledger.database, undefined);
  await sent(later.id);
  const carrier = { carrierId: ledger.carrierId, sender: 'Heliograph', isSenderFixed: false };
  await storeInbound(ledger.database, carrier, [inboundDelivery({ source, destination: number })]);
  const [row] = await ledger.database.query('select account_id, in_reply_to from inbound_message where source = $1', [
    source,
  ]);
  expect(row).toEqual({ account_id: one, in_reply_to: later.id });
});

test('however many messages to a handset are scheduled, the one that was sent is answered', async () => {
  const [source, number] = ['46709000006', '46769000004'];
  const [one, other] = [await ledger.account(200), await ledger.account(10)];
  for (const accountId of [one, other]) await changeAccount(ledger.database, accountId, { sender: number });
  const to = { destination: source, recipient: source };
  const { id } = await ledger.queued(one, 1, to);
  await ledger.record([answer(await ledger.claimed(id), 1, 'accepted')]);
  const sendAt = new Date(Date.now() + 86_400_000);
  const reminders = Array.from({ length: 120 }, () => ledger.message(1, { ...to, sendAt }));
  await ledger.accept(one, [{ ...batchOf(reminders), inBacklog: false }]);
  const carrier = { carrierId: ledger.carrierId, sender: 'Heliograph', isSenderFixed: false };
  await storeInbound(ledger.database, carrier, [inboundDelivery({ source, destination: number, text: 'STOP' })]);
  const [row] = await ledger.database.query('select account_id, in_reply_to from inbound_message where source = $1', [
    source,
  ]);
  expect(row).toEqual({ account_id: one, in_reply_to: id });
  expect(await ledger.state(reminders[0]?.id ?? '')).toBe('canceled');
});
