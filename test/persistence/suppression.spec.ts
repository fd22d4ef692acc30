import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeSecretsKey } from '#config';
import {
  Database,
  findAccountGuards,
  findMessage,
  finishOptOuts,
  listOperatorChanges,
  rotateSecrets,
  SecretUnreadable,
  secretsStatus,
  suppress,
  suppressionsPage,
  unsuppress,
} from '#persistence';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { isSuppressed } from '../support/is-suppressed.js';
import { keysFrom } from '../support/secrets.js';
import { answer, batchOf, TestLedger } from '../support/test-ledger.js';

const NUMBER = '447700900123';
let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterAll(async () => {
  await ledger.expectClean();
  await ledger.close();
});

describe('a number on the suppression list', () => {
  test('is known by it, on the list of that account only, until it is taken off', async () => {
    const { database } = ledger;
    const [one, other] = [await ledger.account(0), await ledger.account(0)];
    expect(await suppress(database, one, NUMBER, { source: 'client' })).toEqual({ isNew: true, canceled: 0 });
    expect(await suppress(database, one, NUMBER, { source: 'recipient' })).toEqual({ isNew: false, canceled: 0 });
    expect([await isSuppressed(database, one, NUMBER), await isSuppressed(database, other, NUMBER)]).toEqual([
      true,
      false,
    ]);
    expect(await unsuppress(database, one, NUMBER, 'recipient')).toBe(true);
    expect(await unsuppress(database, one, NUMBER, 'recipient')).toBe(false);
    expect(await isSuppressed(database, one, NUMBER)).toBe(false);
  });

  test('stands there as a hash, with who wanted it and why, newest first', async () => {
    const { database } = ledger;
    const accountId = await ledger.account(0);
    await suppress(database, accountId, NUMBER, { source: 'recipient', reason: 'STOP' });
    await suppress(database, accountId, '4915112345678', { source: 'operator' });
    const { items, total } = await suppressionsPage(database, accountId, 1, 20);
    expect([total, items]).toMatchObject([2, [{ source: 'operator' }, { source: 'recipient', reason: 'STOP' }]]);
    const [row] = await database.query<{ text: string }>('select string_agg(s::text, $1) as text from suppression s', [
      ' ',
    ]);
    expect(row?.text).not.toContain(NUMBER.slice(2));
  });

  test('has another hash for each account, so that lists cannot be compared', async () => {
    const { database } = ledger;
    const accounts = [await ledger.account(0), await ledger.account(0)];
    const hashes = await Promise.all(
      accounts.map(async (accountId) => {
        await suppress(database, accountId, NUMBER, { source: 'client' });
        return (await suppressionsPage(database, accountId, 1, 1)).items[0]?.id;
      }),
    );
    expect(new Set(hashes).size).toBe(2);
  });

  test('is put there for an account that exists', async () => {
    await expect(suppress(ledger.database, '99', NUMBER, { source: 'client' })).rejects.toThrow(
      'there is no account 99',
    );
  });

  test('is recorded if the owner or an operator changed the list, without the number', async () => {
    const { database } = ledger;
    const accountId = await ledger.account(0);
    await suppress(database, accountId, NUMBER, { source: 'recipient' });
    await unsuppress(database, accountId, NUMBER, 'operator');
    await suppress(database, accountId, NUMBER, { source: 'client', reason: 'by mail' });
    const changes = await listOperatorChanges(database, { accountId, subject: 'suppression' }, 10);
    expect(changes.map(({ action, after }) => [action, after])).toEqual([
      ['insert', { source: 'client', reason: 'by mail' }],
      ['delete', { source: 'operator' }],
    ]);
    expect(JSON.stringify(changes)).not.toContain(NUMBER.slice(2));
  });
});

test('messages to it that no carrier has are canceled and given back; others go on', async () => {
  const { database } = ledger;
  const accountId = await ledger.account(5);
  const to = { destination: NUMBER, recipient: `+${NUMBER}` };
  const [queued, later] = [ledger.message(1, to), ledger.message(1, { ...to, sendAt: new Date(Date.now() + 60_000) })];
  const [claimed, elsewhere] = [ledger.message(1, to), ledger.message(1)];
  await ledger.accept(accountId, [batchOf([queued]), batchOf([claimed]), batchOf([elsewhere]), batchOf([later])]);
  await ledger.claimed(claimed.id);
  expect(await suppress(database, accountId, NUMBER, { source: 'recipient' })).toEqual({ isNew: true, canceled: 2 });
  const states: string[] = [];
  for (const { id } of [queued, later, claimed, elsewhere]) states.push(await ledger.state(id));
  expect(states).toEqual(['canceled', 'canceled', 'sending', 'queued']);
  expect(await findMessage(database, queued.id)).toMatchObject({ carrierCode: 'OPTED_OUT' });
  expect(await ledger.figures(accountId)).toMatchObject({ available: 30_000n });
});

describe('a message that a carrier has when its number is put on the list', () => {
  const to = { destination: NUMBER, recipient: `+${NUMBER}` };
  /** As if the reconciler came when it is due. */
  const reconcile = async () => {
    await ledger.database.query('update open_opt_out set due_at = now()');
    await finishOptOuts(ledger.database);
  };

  test('is canceled and given back if the carrier does not take it', async () => {
    const accountId = await ledger.account(1);
    const { id } = await ledger.queued(accountId, 1, to);
    const order = await ledger.claimed(id);
    expect(await suppress(ledger.database, accountId, NUMBER, { source: 'recipient' })).toMatchObject({ canceled: 0 });
    await reconcile();
    expect(await ledger.state(id)).toBe('sending');
    await ledger.record([answer(order, 1, 'pending')]);
    expect(await ledger.state(id)).toBe('queued');
    await reconcile();
    expect(await findMessage(ledger.database, id)).toMatchObject({ state: 'canceled', carrierCode: 'OPTED_OUT' });
    expect(await ledger.figures(accountId)).toMatchObject({ available: 10_000n });
    expect(await ledger.database.query('select from open_opt_out where account_id = $1', [accountId])).toEqual([]);
  });

  test('goes on if the number is taken off the list before that, and so do later ones', async () => {
    const accountId = await ledger.account(2);
    const { id } = await ledger.queued(accountId, 1, to);
    const order = await ledger.claimed(id);
    await suppress(ledger.database, accountId, NUMBER, { source: 'recipient' });
    await unsuppress(ledger.database, accountId, NUMBER, 'recipient');
    const later = ledger.message(1, to);
    const { guardVersion: version } = await findAccountGuards(ledger.database, accountId);
    expect(await ledger.accept(accountId, [{ ...batchOf([later]), guards: { version } }])).toEqual([
      { kind: 'accepted' },
    ]);
    await ledger.record([answer(order, 1, 'pending')]);
    await reconcile();
    expect([await ledger.state(id), await ledger.state(later.id)]).toEqual(['queued', 'queued']);
  });
});

describe('the key of the hashes', () => {
  let server: TestDatabase;
  beforeAll(async () => {
    server = await createTestDatabase();
  });
  afterAll(() => server.drop());

  test('is encrypted with the secrets key, and stays the same when that one is replaced', async () => {
    const [oldKey, newKey] = [makeSecretsKey(), makeSecretsKey()];
    const accountId = await withKeys('', async (database) => {
      const [row] = await database.query<{ id: string }>(
        `with one as (insert into tariff (name, currency) values ('t', 'EUR') returning tariff_id),
              made as (insert into account (name, currency, tariff_id) select 'A', 'EUR', tariff_id from one returning account_id)
         insert into account_balance (account_id) select account_id from made returning account_id as id`,
      );
      await suppress(database, row?.id ?? '', NUMBER, { source: 'client' });
      return row?.id ?? '';
    });
    await withKeys(oldKey, async (database) => {
      expect(await rotateSecrets(database, 'clear')).toMatchObject({ encrypted: ['suppression lists'] });
      expect(await isSuppressed(database, accountId, NUMBER)).toBe(true);
    });
    await withKeys(`${newKey}\n${oldKey}`, async (database) => {
      expect(await rotateSecrets(database, 'clear')).toMatchObject({ encrypted: [], reencrypted: [] });
      expect(await rotateSecrets(database, 'all')).toMatchObject({ reencrypted: ['suppression lists'] });
    });
    await withKeys(newKey, async (database) => {
      expect(await isSuppressed(database, accountId, NUMBER)).toBe(true);
      const { stored, keyIds } = await secretsStatus(database);
      expect(stored).toEqual([{ keyId: keyIds[0], carriers: ['suppression lists'] }]);
    });
    await withKeys(oldKey, async (database) => {
      await expect(isSuppressed(database, accountId, NUMBER)).rejects.toThrow(SecretUnreadable);
    });
  });

  async function withKeys<Result>(text: string, work: (database: Database) => Promise<Result>): Promise<Result> {
    const keys = text === '' ? {} : { secretKeys: keysFrom(text) };
    const database = await Database.open({ url: server.url, poolSize: 1, applicationName: 'spec', ...keys });
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  }
});
