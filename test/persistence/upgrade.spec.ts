import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { Database, migrateDatabase, settleReceipts } from '#persistence';
import { describeSchema } from '../../scripts/database/describe-schema.js';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/database.js';
import { claimOrders, recordSubmits } from '../support/dispatch-steps.js';
import { TEST_SECRET_KEYS } from '../support/secrets.js';
import { expectCleanLedger } from '../support/test-ledger.js';

/**
 * Databases of published versions, with messages in every state: each is `pg_dump` of what that version made of an
 * empty database and its `makeTraffic()`, and two accounts with the name of a third one where the version allowed that.
 */
const PUBLISHED = readdirSync(new URL('./published/', import.meta.url))
  .filter((file) => file.endsWith('.sql'))
  .map((file) => file.replace('.sql', ''));

/** Functions with another result since that version: processes of it cannot run on this schema. */
const INCOMPATIBLE: Record<string, readonly string[]> = { '0.1.0': ['active_hold()'] };

describe.each(PUBLISHED)('a database of version %s', (version) => {
  let store: TestDatabase;
  let client: pg.Client;
  let functionsBefore: readonly { signature: string; result: string }[];

  beforeAll(async () => {
    store = await createEmptyDatabase();
    await load(store.url, version);
    client = new pg.Client({ connectionString: store.url });
    await client.connect();
    functionsBefore = await functionsOf(client);
    expect(await migrateDatabase(store.url)).toContainEqual(expect.stringContaining('SQL functions'));
  });

  afterAll(async () => {
    await client.end();
    await store.drop();
  });

  test('has after its upgrade the tables and the functions of a new one', async () => {
    const fresh = await createTestDatabase();
    const newest = new pg.Client({ connectionString: fresh.url });
    await newest.connect();
    expect(await describeSchema(client)).toBe(await describeSchema(newest));
    expect(await definitionsOf(client)).toEqual(await definitionsOf(newest));
    await newest.end();
    await fresh.drop();
  });

  test('keeps its money and its messages, and goes on with those that are open', async () => {
    const options = { url: store.url, poolSize: 2, applicationName: 'spec', secretKeys: TEST_SECRET_KEYS };
    const database = await Database.open(options);
    await expectCleanLedger(database);
    const { rows } = await client.query<{ id: string; carrier_id: number; destination: string }>(
      `select id, destination, (select min(carrier_id) from carrier where carrier_id > 0) as carrier_id
         from message_order where state = 'queued' and attempts = 0`,
    );
    const [open] = rows;
    if (open === undefined) throw new Error('the dump has no queued message');
    const owner = { workerId: 'spec', carrierId: open.carrier_id, leaseSeconds: 60 };
    const claimed = await claimOrders(database, [open.id], owner);
    const answer = { id: open.id, position: 1, epoch: claimed[0]?.epoch ?? 0, kind: 'accepted' as const };
    await recordSubmits(database, [{ ...answer, answer: 'after-upgrade', done: true, retryAfterMs: 0 }], 30);
    const receipt = { carrierMessageId: 'after-upgrade', userMessageReference: undefined, state: 'delivered' as const };
    await settleReceipts(database, open.carrier_id, [{ ...receipt, destination: open.destination, code: '000' }], 30);
    const { rows: states } = await client.query('select state from message_order where id = $1', [open.id]);
    expect(states).toEqual([{ state: 'delivered' }]);
    await expectCleanLedger(database);
    await database.close();
  });

  test('still has the functions that its processes call, until a later version is installed', async () => {
    const after = new Map((await functionsOf(client)).map(({ signature, result }) => [signature, result]));
    const changed = functionsBefore.filter(({ signature, result }) => after.get(signature) !== result);
    expect(changed.map(({ signature }) => signature)).toEqual(INCOMPATIBLE[version] ?? []);

    const { rows: retired } = await client.query<{ signature: string }>('select signature from retired_function');
    await client.query("update retired_function set retired_in = '0.0.1'");
    await migrateDatabase(store.url);
    const left = new Set((await functionsOf(client)).map(({ signature }) => signature));
    expect(retired.filter(({ signature }) => left.has(signature))).toEqual([]);
    expect(functionsBefore.length).toBeGreaterThan(20);
  });
});

test('accounts of 0.1.0 that have one name get different ones, and that is recorded', async () => {
  const { url, drop } = await createEmptyDatabase();
  await load(url, '0.1.0');
  await migrateDatabase(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows: names } = await client.query('select name from account order by account_id');
  expect(names.map(({ name }) => name)).toEqual(['Sender', 'Sender (1002)', 'Sender (1003)']);
  const { rows } = await client.query(
    "select operator, before, after from operator_change where subject = 'account' order by change_id",
  );
  expect(rows).toMatchObject([
    { operator: 'upgrade to 0.2.0', before: { name: 'Sender' }, after: { name: 'Sender (1002)' } },
    { operator: 'upgrade to 0.2.0', before: { name: 'Sender' }, after: { name: 'Sender (1003)' } },
  ]);
  await client.end();
  await drop();
});

async function load(url: string, version: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(readFileSync(new URL(`./published/${version}.sql`, import.meta.url), 'utf8'));
  // The dump is older than the validity of its open messages.
  await client.query("update public.message_order set valid_until = now() + interval '1 hour' where final_at is null");
  await client.end();
}

async function functionsOf(client: pg.Client): Promise<{ signature: string; result: string }[]> {
  const { rows } = await client.query<{ signature: string; result: string }>(
    `select oid::regprocedure::text as signature,
            concat_ws(' ', pg_get_function_result(oid),
              (select string_agg(concat(proargnames[n], ' ', format_type(proallargtypes[n], null)), ', ' order by n)
                 from generate_subscripts(proargmodes, 1) n where proargmodes[n] in ('o', 'b'))) as result
       from pg_proc where pronamespace = 'public'::regnamespace order by 1`,
  );
  return rows;
}

/** The current functions, without those that stay for processes of the previous version. */
async function definitionsOf(client: pg.Client): Promise<unknown[]> {
  const { rows } = await client.query(
    `select path, pg_get_functiondef(signature::regprocedure) as definition
       from function_file cross join unnest(functions) as f(signature) order by path, definition`,
  );
  return rows;
}
