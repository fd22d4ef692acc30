import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { completeInbound, type Database, findInbound, listInbound, storeInbound } from '#persistence';
import { inboundDelivery } from '../support/inbound.js';
import { openTestDatabase } from '../support/secrets.js';
import { TestLedger } from '../support/test-ledger.js';

const TEXT = 'your one-time code is 493 118';
const ALL = { page: 1, limit: 100 };

let ledger: TestLedger;
let accountId: string;
/** Of a service whose setting is `encrypted`. */
let database: Database;
beforeAll(async () => {
  ledger = await TestLedger.create();
  accountId = await ledger.account(1_000);
  database = await openTestDatabase(ledger.url, 2, { encryptsTexts: true });
});
afterAll(async () => {
  await database.close();
  await ledger.close();
});

describe('messages from handsets', () => {
  const source = '46700100300';
  const halves = ['the result \ud83d', '\ude42 is negative'];

  test('and parts of long ones are encrypted, and joined to the same text', async () => {
    const carrier = { carrierId: ledger.carrierId, sender: 'Heliograph', isSenderFixed: false };
    const part = (number: number, reference = 7) =>
      inboundDelivery({ source, text: halves[number - 1] ?? '', part: { reference, number, total: 2 } });
    const [first, second] = [part(1), part(2)];
    // The parts come to processes with different settings.
    expect(await storeInbound(database, carrier, [first])).toEqual(['part']);
    const stored = await database.query<{ text: string }>(
      "select encode(content, 'escape') as text from inbound_part where source = $1",
      [source],
    );
    expect(stored).toEqual([{ text: expect.not.stringContaining('t\\000h\\000e') }]);
    expect(await storeInbound(ledger.database, carrier, [second])).toEqual(['unassigned']);
    expect(await storeInbound(database, carrier, [inboundDelivery({ source, text: TEXT })])).toEqual(['unassigned']);
    expect(await storeInbound(database, carrier, [part(1, 8)])).toEqual(['part']);
    await database.query(
      "update inbound_part set received_at = received_at - interval '61 minutes' where source = $1",
      [source],
    );
    await completeInbound(database, 'Heliograph');
    const texts = (await listInbound(database, { source }, 10)).map(({ message }) => message);
    expect(texts.reverse()).toEqual(['the result 🙂 is negative', TEXT, 'the result \ufffd[…]']);
    const rows = await database.query('select from inbound_message where source = $1 and message like $2', [
      source,
      '%code%',
    ]);
    expect(rows).toEqual([]);
  });

  test('a delivery that comes again is known, although its fingerprint is keyed', async () => {
    const carrier = { carrierId: ledger.carrierId, sender: 'Heliograph', isSenderFixed: false };
    const delivery = inboundDelivery({ source: '46700100301', text: TEXT, connection: randomUUID() });
    expect(await storeInbound(database, carrier, [delivery])).toEqual(['unassigned']);
    expect(await storeInbound(database, carrier, [{ ...delivery, connection: randomUUID() }])).toEqual(['repeated']);
    expect(await database.query('select from inbound_part where fingerprint = $1', [delivery.fingerprint])).toEqual([]);
    expect((await findInbound(database, accountId, ALL)).items).toEqual([]);
  });
});
