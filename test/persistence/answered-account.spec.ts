import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { carrierTestAccount, changeAccount, storeInbound } from '#persistence';
import { inboundDelivery } from '../support/inbound.js';
import { TestLedger } from '../support/test-ledger.js';

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
