import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { planSegments } from '#billing';
import { makeSecretsKey } from '#config';
import {
  acceptMessages,
  claimedText,
  type Database,
  DatabaseUnavailable,
  findKeyedRequest,
  findOrders,
  listInbound,
  listMessages,
  messageRecord,
  type PricedMessage,
  rotateSecrets,
  type SecretKeys,
  secretsStatus,
  storeInbound,
  TextUnreadable,
} from '#persistence';
import { claimOrders } from '../support/dispatch-steps.js';
import { inboundDelivery } from '../support/inbound.js';
import { keysFrom, openTestDatabase, TEST_SECRET_KEYS, TEST_SECRETS_KEY } from '../support/secrets.js';
import { expectCleanLedger, requestOf, SEGMENT_PRICE, TestLedger } from '../support/test-ledger.js';

const TEXT = 'your one-time code is 493 118';
const ALL = { page: 1, limit: 100 };
const SETTINGS = { validitySeconds: 3_600, sweepAfterSeconds: 10 };
const newKey = makeSecretsKey();

let ledger: TestLedger;
let accountId: string;
/** Of a service whose setting is `encrypted`. */
let database: Database;
beforeAll(async () => {
  ledger = await TestLedger.create();
  accountId = await ledger.account(1_000);
  database = await open(TEST_SECRET_KEYS);
});
afterAll(async () => {
  await expectCleanLedger(database);
  await database.close();
  await ledger.close();
});

function open(secretKeys: SecretKeys, encryptsTexts = true): Promise<Database> {
  return openTestDatabase(ledger.url, 2, { secretKeys, encryptsTexts });
}

/** Runs on a database that is opened with these keys. */
async function openedWith<Result>(
  secretKeys: SecretKeys,
  encryptsTexts: boolean,
  work: (opened: Database) => Promise<Result>,
): Promise<Result> {
  const opened = await open(secretKeys, encryptsTexts);
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

async function sent(by: Database, changes: Partial<PricedMessage> = {}): Promise<string> {
  const message = ledger.message(1, { message: TEXT, ...changes });
  const request = requestOf(message);
  expect(await acceptMessages(by, [{ accountId, request }], SETTINGS)).toEqual([{ kind: 'accepted' }]);
  return message.id;
}

async function storedText(id: string): Promise<string> {
  const [row] = await database.query<{ message: string }>('select message from message_order where id = $1', [id]);
  return row?.message ?? '';
}

/** Claims an order; gives what reads its text, as the worker does. */
async function claim(by: Database, id: string): Promise<() => string> {
  const owner = { workerId: 'worker-1', carrierId: ledger.carrierId, leaseSeconds: 60 };
  const [order] = await claimOrders(by, [id], owner);
  if (order === undefined) throw new Error(`${id} could not be claimed`);
  return () => claimedText(by, order);
}

describe('a text that is stored encrypted', () => {
  test('is read in lists, by its id, and by the worker that sends it', async () => {
    const id = await sent(database);
    expect((await messageRecord(database, id))?.message).toBe(TEXT);
    expect((await findOrders(database, accountId, ALL)).items.find((item) => item.id === id)?.message).toBe(TEXT);
    expect((await listMessages(database, { accountId, withText: true }, 1))[0]?.message).toBe(TEXT);
    expect((await claim(database, id))()).toBe(TEXT);
  });

  test('is claimed although its key cannot be read at that moment, and can be tried again', async () => {
    const id = await sent(database);
    await openedWith(TEST_SECRET_KEYS, false, async (started) => {
      const query: Database['query'] = async (sql, parameters) => {
        if (sql.includes('text_key')) throw new Error('away');
        return started.query(sql, parameters);
      };
      const read = await claim(Object.assign(Object.create(started) as Database, { query }), id);
      expect(read).toThrow(TextUnreadable);
    });
  });

  test('looks different each time, and has no word of it', async () => {
    const [one = '', other = ''] = await Promise.all(
      [sent(database), sent(database)].map(async (id) => storedText(await id)),
    );
    expect(one.slice(15)).not.toBe(other.slice(15));
    const octets = Buffer.from(one.slice(one.indexOf(':') + 1), 'base64url').toString('latin1');
    // (no shorter word: two letters may stand there by chance)
    for (const stored of [one, octets]) expect(stored).not.toContain('one-time');
  });

  test.each(['£'.repeat(160), '漢字 🙂 '.repeat(20), 'x'.repeat(39_015), '\r\n "quotes" \\ and %s'])(
    'is the same text afterwards: %#',
    async (message) => {
      const { segments, encoding } = planSegments(message);
      const price = SEGMENT_PRICE * BigInt(segments.length);
      const changes = { message, segments: segments.length, price, encoding };
      expect((await messageRecord(database, await sent(database, changes)))?.message).toBe(message);
    },
  );

  test('is not given to a worker of a version that would send it as it is stored', async () => {
    const [encrypted, clear] = [await sent(database), await sent(ledger.database)];
    const rows = await database.query<{ id: string; message: string }>(
      `select id, message from claim_orders($1::uuid[], 'old', $2, interval '1 minute', false, null)`,
      [[encrypted, clear], ledger.carrierId],
    );
    expect(rows).toEqual([{ id: clear, message: TEXT }]);
    expect(await ledger.state(encrypted)).toBe('queued');
  });

  test('is empty after its redaction', async () => {
    const id = await sent(database);
    await database.query('select redact_orders($1, true, false)', [[id]]);
    expect((await messageRecord(database, id))?.message).toBe('');
    await database.query('update message_order set message = $2 where id = $1', [id, TEXT]);
  });
});

describe('when the setting changes', () => {
  test('texts of before stay readable, whichever way it changes', async () => {
    const [encrypted, clear] = [await sent(database), await sent(ledger.database)];
    expect([await storedText(encrypted), await storedText(clear)]).toEqual([expect.not.stringContaining(TEXT), TEXT]);
    for (const reader of [database, ledger.database]) {
      const { items } = await findOrders(reader, accountId, { page: 1, limit: 2 });
      expect(items.map(({ message }) => message)).toEqual([TEXT, TEXT]);
    }
  });

  test('a request that is repeated with its key is answered as the first time', async () => {
    const fingerprint = createHash('sha256').update(TEXT).digest();
    const keyed = (by: Database, key: string, digest = fingerprint) => {
      const request = { ...requestOf(ledger.message()), idempotencyKey: { key, fingerprint: digest } };
      return acceptMessages(by, [{ accountId, request }], SETTINGS);
    };
    expect(await keyed(ledger.database, 'before')).toEqual([{ kind: 'accepted' }]);
    expect(await keyed(database, 'before')).toMatchObject([{ kind: 'replayed' }]);
    expect(await keyed(database, 'after')).toEqual([{ kind: 'accepted' }]);
    expect(await keyed(database, 'after')).toMatchObject([{ kind: 'replayed' }]);
    expect(await keyed(database, 'after', createHash('sha256').update('other').digest())).toEqual([
      { kind: 'key_reused' },
    ]);
    await openedWith(TEST_SECRET_KEYS, false, async (off) => {
      expect(await keyed(off, 'after')).toMatchObject([{ kind: 'replayed' }]);
      expect(await keyed(off, 'off')).toEqual([{ kind: 'accepted' }]);
      for (const key of ['before', 'after', 'off']) {
        for (const reader of [database, off]) {
          expect(await findKeyedRequest(reader, accountId, { key, fingerprint })).toMatchObject({ orderCount: 1 });
        }
      }
    });
    // The secrets key may be gone then.
    await openedWith(keysFrom(newKey), false, async (blind) => {
      expect(await keyed(blind, 'off')).toMatchObject([{ kind: 'replayed' }]);
    });
    // Who has the database cannot try texts on it.
    const stored = "select from idempotency_key where key = 'after' and fingerprint = $1";
    expect(await database.query(stored, [fingerprint])).toEqual([]);
  });
});

describe('a text that cannot be read', () => {
  test('names the key that is missing, and keeps no other message from being sent', async () => {
    const [encrypted, clear] = [await sent(database), await sent(ledger.database)];
    await openedWith(keysFrom(newKey), false, async (blind) => {
      const reason = `cannot be read: its key, ${await keyId()}, is encrypted with key ${TEST_SECRET_KEYS.currentId}, which this process does not have`;
      await expect(messageRecord(blind, encrypted)).rejects.toThrow(reason);
      await expect(messageRecord(blind, encrypted, false)).resolves.toMatchObject({ state: 'queued', message: '' });
      const read = await claim(blind, encrypted);
      expect(read).toThrow(reason);
      expect((await claim(blind, clear))()).toBe(TEXT);
    });
  });

  test('is not taken for the text of another message', async () => {
    const [one, other] = [await sent(database), await sent(database)];
    const before = await storedText(other);
    await database.query('update message_order set message = $2 where id = $1', [other, await storedText(one)]);
    await expect(messageRecord(database, other)).rejects.toThrow(/does not decrypt with key \w{12}: it was changed/);
    await database.query('update message_order set message = $2 where id = $1', [other, before]);
  });

  test('keeps a process from starting that is to encrypt texts and cannot', async () => {
    const started = open(keysFrom(newKey));
    await expect(started).rejects.toBeInstanceOf(DatabaseUnavailable);
    await expect(started).rejects.toThrow(
      /^the texts of messages cannot be encrypted \(TEXTS_AT_REST\): .*is encrypted with key [0-9a-f]{8}, which this process does not have/,
    );
  });
});

test('a text that begins as an encrypted one does is no way to confuse the service', async () => {
  const source = '46700100299';
  const lookalike = (await storedText(await sent(database))).concat(' ');
  const carrier = { carrierId: ledger.carrierId, sender: 'Heliograph', isSenderFixed: false };
  for (const by of [database, ledger.database])
    await storeInbound(by, carrier, [inboundDelivery({ source, text: lookalike })]);
  const texts = (await listInbound(database, { source }, 10)).map(({ message }) => message);
  expect(texts).toEqual(Array(2).fill(`\ufffd${lookalike.slice(1)}`));
});

test('a key that a restore has taken away is stored again, by any process that has it', async () => {
  const id = await sent(database);
  await database.query('delete from text_key');
  await openedWith(TEST_SECRET_KEYS, false, async (started) => {
    await expect(messageRecord(started, id)).rejects.toThrow(/is not in the database$/);
  });
  // Another process makes a key of its own before this one looks.
  await openedWith(TEST_SECRET_KEYS, true, async (started) => {
    const other = await sent(started);
    await database.texts.ready(database);
    expect((await messageRecord(started, id))?.message).toBe(TEXT);
    expect((await messageRecord(database, other))?.message).toBe(TEXT);
  });
});

test('an exchange of keys encrypts no message anew, and the new key alone reads all of them', async () => {
  const id = await sent(database);
  const before = await storedText(id);
  const names = ({ stored }: Awaited<ReturnType<typeof secretsStatus>>) =>
    stored.map(({ keyId, carriers }) => ({ keyId, hasTexts: carriers.includes('texts') }));
  expect(names(await secretsStatus(database))).toContainEqual({ keyId: TEST_SECRET_KEYS.currentId, hasTexts: true });
  await openedWith(keysFrom(`${newKey}\n${TEST_SECRETS_KEY}`), true, async (both) => {
    expect((await rotateSecrets(both, 'all')).reencrypted).toContain('texts');
    expect(names(await secretsStatus(both))).toEqual([{ keyId: keysFrom(newKey).currentId, hasTexts: true }]);
  });
  await openedWith(keysFrom(newKey), true, async (rotated) => {
    expect((await messageRecord(rotated, id))?.message).toBe(TEXT);
    expect((await messageRecord(rotated, await sent(rotated)))?.message).toBe(TEXT);
  });
  expect(await storedText(id)).toBe(before);
  // A process that has the key of the day goes on with it.
  expect((await messageRecord(database, await sent(database)))?.message).toBe(TEXT);
});

test('the ledger is verified also where it cannot read the texts, and a wrong number of segments is found', async () => {
  const id = await sent(database);
  await expectCleanLedger(ledger.database);
  await database.query('update message_order set segments = 2 where id = $1', [id]);
  await expect(expectCleanLedger(ledger.database)).rejects.toThrow(/prices/);
  await database.query('update message_order set segments = 1 where id = $1', [id]);
});

async function keyId(): Promise<string> {
  const [row] = await database.query<{ id: string }>(
    "select key_id as id from text_key where key_id > '1' order by created_at limit 1",
  );
  return row?.id ?? '';
}
