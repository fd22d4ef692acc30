import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { assignInbound, changeAccount, setWord, storeInbound } from '#persistence';
import { inboundDelivery } from '../support/inbound.js';
import { isSuppressed } from '../support/is-suppressed.js';
import { TestLedger } from '../support/test-ledger.js';

let ledger: TestLedger;
let handsets = 0;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterAll(async () => {
  await ledger.expectClean();
  await ledger.close();
});

const aHandset = () => `4670${String(9_000_000 + ++handsets)}`;

async function say(source: string, destination: string, text: string): Promise<void> {
  const carrier = { carrierId: ledger.carrierId, sender: 'Heliograph', isSenderFixed: false };
  await storeInbound(ledger.database, carrier, [inboundDelivery({ source, destination, text })]);
}

test.each([
  ['START', 'STOP', true],
  ['STOP', 'START', false],
])(
  'of an unassigned %s and a later %s the later one counts, if it is assigned first',
  async (first, last, isOnList) => {
    const [source, destination] = [aHandset(), aHandset()];
    const accountId = await ledger.account(10);
    await say(source, destination, first);
    await say(source, destination, last);
    // As the list has them: the newest first.
    const unassigned = await ledger.database.query<{ id: string }>(
      'select inbound_id as id from inbound_message where source = $1 order by inbound_id desc',
      [source],
    );
    for (const { id } of unassigned) await assignInbound(ledger.database, id, accountId);
    expect(await isSuppressed(ledger.database, accountId, source)).toBe(isOnList);
  },
);

test.each(['iptal', 'İPTAL', 'IPTAL', 'İptal!'])(
  '%s is the word iptal, in small letters or in capital ones',
  async (text) => {
    await setWord(ledger.database, { word: 'iptal', action: 'stop', language: 'tr' });
    const [source, destination] = [aHandset(), aHandset()];
    const accountId = await ledger.account(10);
    await changeAccount(ledger.database, accountId, { sender: destination });
    await say(source, destination, text);
    expect(await isSuppressed(ledger.database, accountId, source)).toBe(true);
  },
);

test.each(['çıkış', 'ÇIKIŞ'])('a word that is set as ÇIKIŞ is written %s too', async (text) => {
  await setWord(ledger.database, { word: 'ÇIKIŞ', action: 'stop', language: 'tr' });
  const [source, destination] = [aHandset(), aHandset()];
  const accountId = await ledger.account(10);
  await changeAccount(ledger.database, accountId, { sender: destination });
  await say(source, destination, text);
  expect(await isSuppressed(ledger.database, accountId, source)).toBe(true);
});
