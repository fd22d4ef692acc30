import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { completeInbound, type InboundCarrier, purgeExpired, storeInbound } from '#persistence';
import type { InboundDelivery } from '../../libs/persistence/inbound/store-inbound.js';
import { eventually } from '../support/eventually.js';
import { inboundDelivery } from '../support/inbound.js';
import { TestLedger } from '../support/test-ledger.js';

const SENDER = 'Heliograph';

let ledger: TestLedger;
let carrier: InboundCarrier;
let numbers = 0;
beforeAll(async () => {
  ledger = await TestLedger.create();
  carrier = { carrierId: ledger.carrierId, sender: SENDER, isSenderFixed: false };
});
afterAll(() => ledger.close());

const store = (...deliveries: InboundDelivery[]) => storeInbound(ledger.database, carrier, deliveries);
const storedFrom = (source: string) =>
  ledger.database.query('select message, missing_parts from inbound_message where source = $1 order by 1', [source]);
const aHandset = () => `4670${String(9_000_000 + ++numbers)}`;

const part = (source: string, number: number, reference = 7) =>
  inboundDelivery({ source, text: `part ${number} `, part: { reference, number, total: 2 } });

/** A stored part whose key is not in the database, as after a restore of a part of it. */
async function unreadable(source: string): Promise<void> {
  expect(await store(part(source, 1))).toEqual(['part']);
  const sealed = `\u000120260101abcd:${randomBytes(60).toString('base64url')}`;
  await ledger.database.query('update inbound_part set content = $2 where source = $1', [
    source,
    Buffer.from(sealed, 'latin1'),
  ]);
}

async function age(source: string, interval: string): Promise<void> {
  await ledger.database.query(
    'update inbound_part set received_at = received_at - $2::text::interval where source = $1',
    [source, interval],
  );
}

test('a part that cannot be read keeps no other delivery from being stored', async () => {
  const [source, other] = [aHandset(), aHandset()];
  await unreadable(source);
  expect(await store(inboundDelivery({ source: other, text: 'STOP' }), part(source, 1, 8))).toEqual([
    'unassigned',
    'part',
  ]);
  expect(await storedFrom(other)).toHaveLength(1);
});

test('a part that cannot be read waits an hour for its key, like one that is missing, and is a gap then', async () => {
  const source = aHandset();
  await unreadable(source);
  expect(await store(part(source, 2))).toEqual(['part']);
  expect(await storedFrom(source)).toEqual([]);
  await age(source, '61 minutes');
  await completeInbound(ledger.database, SENDER);
  expect(await storedFrom(source)).toEqual([{ message: '[…]part 2 ', missing_parts: 1 }]);
});

test('messages that cannot be stored keep none of another handset from it, and are not lost', async () => {
  const broken = [aHandset(), aHandset(), aHandset(), aHandset()];
  const others = [aHandset(), aHandset()];
  for (const source of [...broken, ...others]) {
    await store(part(source, 1));
    await age(source, '8 days');
  }
  await ledger.database.query(
    `alter table inbound_message add constraint broken check (source not in ('${broken.join("', '")}')) not valid`,
  );
  try {
    await expect(completeInbound(ledger.database, SENDER)).rejects.toThrow(/broken/);
    for (const source of others) expect(await storedFrom(source)).toHaveLength(1);
    // More of them than one call looks at: the others have their turn all the same.
    const last = aHandset();
    await store(part(last, 1));
    await age(last, '8 days');
    await eventually(async () => {
      await completeInbound(ledger.database, SENDER, 2).catch(() => undefined);
      return (await storedFrom(last)).length > 0;
    });
    await purgeExpired(ledger.database, 48);
  } finally {
    await ledger.database.query('alter table inbound_message drop constraint broken');
  }
  for (const source of broken) expect(await storedFrom(source)).toEqual([]);
  await completeInbound(ledger.database, SENDER);
  for (const source of broken) {
    expect(await storedFrom(source)).toEqual([{ message: 'part 1 […]', missing_parts: 1 }]);
  }
});

test.each([[[1, 1, 2, 2]], [[2, 2, 1, 1]]])(
  'a long message is stored once if its carrier delivers its parts twice: %j',
  async (parts) => {
    const source = aHandset();
    for (const number of parts) await store({ ...part(source, number), connection: 'the same' });
    await age(source, '61 minutes');
    await completeInbound(ledger.database, SENDER);
    expect(await storedFrom(source)).toEqual([{ message: 'part 1 part 2 ', missing_parts: 0 }]);
  },
);

test('parts are deleted a week after they came if their message is stored, and after a month in any case', async () => {
  const [stored, open] = [aHandset(), aHandset()];
  await store(part(stored, 1), part(stored, 2), part(open, 1));
  const left = async () =>
    (
      await ledger.database.query<{ source: string }>(
        'select source from inbound_part where source in ($1, $2) order by part_id',
        [stored, open],
      )
    ).map(({ source }) => source);
  for (const source of [stored, open]) await age(source, '8 days');
  await purgeExpired(ledger.database, 48);
  expect(await left()).toEqual([open]);
  await age(open, '23 days');
  await purgeExpired(ledger.database, 48);
  expect(await left()).toEqual([]);
});
