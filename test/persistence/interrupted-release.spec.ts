import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  type Database,
  noticeRestoredDatabase,
  releaseHold,
  resumeAccount,
  setHold,
  suspendAccount,
} from '#persistence';
import { batchOf, TestLedger } from '../support/test-ledger.js';

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
  await noticeRestoredDatabase(ledger.database, true);
});
afterAll(async () => {
  await ledger.expectClean();
  await ledger.close();
});

/** A database whose caller is killed before its second transaction. */
function killedAfterOne(database: Database): Database {
  let begun = 0;
  const transaction: Database['transaction'] = async (work) => {
    begun += 1;
    if (begun > 1) throw new Error('killed');
    return database.transaction(work);
  };
  return Object.assign(Object.create(database) as Database, { transaction });
}

test.each([
  [
    'hold',
    () => setHold(ledger.database, 'spec'),
    (database: Database) => releaseHold(database).catch(({ message }) => message),
    'no hold is active',
  ],
  [
    'hold of an account',
    (accountId: string) => suspendAccount(ledger.database, accountId, 'hold'),
    async (database: Database, accountId: string) =>
      resumeAccount(database, accountId).then(
        ({ released }) => released,
        ({ message }) => message,
      ),
    0,
  ],
])('whoever ends a %s and is killed may do it again: what was held is sent', async (_what, hold, release, over) => {
  const accountId = await ledger.account(10);
  const messages = [ledger.message(), ledger.message(), ledger.message()];
  await ledger.accept(accountId, [batchOf(messages)]);
  await hold(accountId);
  // The feeder passes over them: their backlog has them no more.
  expect(await ledger.fed()).toEqual([]);
  expect(await release(killedAfterOne(ledger.database), accountId)).toBe('killed');
  expect(await ledger.sweep()).toEqual([]);
  expect(await release(ledger.database, accountId)).toBe(3);
  expect((await ledger.sweep()).toSorted()).toEqual(messages.map(({ id }) => id).toSorted());
  expect(await release(ledger.database, accountId)).toBe(over);
});
