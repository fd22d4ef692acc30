import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  ANY_CARRIER,
  backlogDepths,
  finishTurns,
  giveBackTurns,
  putInBacklog,
  removeCarrier,
  setHold,
  type TurnPiece,
  takeTurn,
  tendBacklogs,
  waitingTurns,
} from '#persistence';
import { batchOf, TestLedger } from '../support/test-ledger.js';

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
beforeEach(async () => {
  await ledger.forgetOpenWork();
  await ledger.database.query(
    "insert into process_heartbeat (process_id, role) values ('w', 'worker') on conflict do nothing",
  );
});
afterAll(() => ledger.close());

interface Wish {
  readonly turns?: number;
  readonly segmentsMax?: number;
  readonly carrierId?: number;
  readonly workerId?: string;
  readonly except?: readonly string[];
  readonly done?: readonly string[];
}

const turn = (wish: Wish = {}): Promise<TurnPiece[]> =>
  takeTurn(ledger.database, {
    carrierId: ANY_CARRIER,
    workerId: 'w',
    segmentsMax: 100,
    turns: 1,
    except: [],
    done: [],
    ...wish,
  });

/** An account with a batch of so many messages; their ids in order. */
async function batch(count: number, segments = 1): Promise<{ account: string; ids: string[] }> {
  const account = await ledger.account(count * segments);
  const messages = Array.from({ length: count }, () => ledger.message(segments));
  expect(await ledger.accept(account, [batchOf(messages)])).toEqual([{ kind: 'accepted' }]);
  return { account, ids: messages.map(({ id }) => id) };
}

const idsOf = (pieces: readonly TurnPiece[]) => pieces.flatMap(({ ids }) => ids);

/** Turns until there are none, each over at once; the accounts and ids in the order in which they came. */
async function allTurns(segmentsMax: number): Promise<{ accounts: string[]; ids: string[] }> {
  const accounts: string[] = [];
  const ids: string[] = [];
  let done: string[] = [];
  for (;;) {
    const pieces = await turn({ segmentsMax, done });
    const [first] = pieces;
    if (first === undefined) return { accounts, ids };
    accounts.push(first.accountId);
    ids.push(...idsOf(pieces));
    done = pieces.map(({ backlogId }) => backlogId);
  }
}

describe('the ring of turns', () => {
  test('accounts take turns of equal size, and each message comes up once', async () => {
    const [hog, third, small] = [await batch(50), await batch(20), await batch(5)];
    const { accounts, ids } = await allTurns(10);
    const [a, b, c] = [hog.account, third.account, small.account];
    expect(accounts).toEqual([a, b, c, a, b, a, a, a]);
    expect([...ids].sort()).toEqual([...hog.ids, ...third.ids, ...small.ids].sort());
    expect(ids.filter((id) => hog.ids.includes(id))).toEqual(hog.ids);
    expect(await backlogDepths(ledger.database)).toEqual([]);
  });

  test('several turns at a time are those that would have come one by one', async () => {
    const [hog, small] = [await batch(50), await batch(5)];
    const pieces = await turn({ segmentsMax: 10, turns: 4 });
    const [a, b] = [hog.account, small.account];
    expect(pieces.map(({ accountId }) => accountId)).toEqual([a, b, a, a]);
    expect(idsOf(pieces).filter((id) => hog.ids.includes(id))).toEqual(hog.ids.slice(0, 30));
  });

  test('a turn is counted in segments: long messages give an account no more than short ones', async () => {
    const long = await batch(10, 4);
    expect(idsOf(await turn({ segmentsMax: 10 }))).toEqual(long.ids.slice(0, 3));
    expect(idsOf(await turn({ segmentsMax: 1 }))).toEqual(long.ids.slice(3, 4));
  });

  test('a single message is in nobody’s backlog; a batch is, in the transaction that accepts it', async () => {
    const account = await ledger.account(1);
    await ledger.accept(account, [ledger.message()]);
    expect(await turn()).toEqual([]);
    const refused = await ledger.account(1);
    await ledger.accept(refused, [batchOf([ledger.message(), ledger.message()])]);
    expect(await turn()).toEqual([]);
  });

  test('workers that ask at once get different messages', async () => {
    const accounts = await Promise.all(Array.from({ length: 4 }, () => batch(30)));
    const taken = await Promise.all(
      Array.from({ length: 16 }, (_, n) => turn({ segmentsMax: 10, workerId: `w-${n}` })),
    );
    const ids = idsOf(taken.flat());
    expect(new Set(ids).size).toBe(ids.length);
    const rest = await allTurns(10);
    expect([...ids, ...rest.ids].sort()).toEqual(accounts.flatMap((each) => each.ids).sort());
  });

  test('a batch that is accepted while a turn ends the backlog is not overlooked', async () => {
    const account = await ledger.account(400);
    const all: string[] = [];
    const seen: string[] = [];
    for (let round = 0; round < 20; round += 1) {
      const messages = Array.from({ length: 2 }, () => ledger.message());
      all.push(...messages.map(({ id }) => id));
      const [, pieces] = await Promise.all([ledger.accept(account, [batchOf(messages)]), turn()]);
      seen.push(...idsOf(pieces));
    }
    for (let pieces = await turn(); pieces.length > 0; pieces = await turn()) seen.push(...idsOf(pieces));
    expect(seen.sort()).toEqual(all.sort());
  });

  test('an account at its cap is passed over and keeps its place', async () => {
    const [first, second] = [await batch(5), await batch(5)];
    expect(idsOf(await turn({ except: [first.account] }))).toEqual(second.ids);
    expect(idsOf(await turn())).toEqual(first.ids);
  });

  test('what is claimed already, put off or held is passed over, and what is behind it comes up', async () => {
    const { ids } = await batch(6);
    await ledger.claim(ids.slice(0, 2));
    await ledger.database.query("update message_order set next_attempt_at = now() + interval '1 hour' where id = $1", [
      ids[2],
    ]);
    expect(idsOf(await turn())).toEqual(ids.slice(3));
  });

  test('a long range of which nothing is left is walked in bounded steps', async () => {
    const { account, ids } = await batch(50);
    await ledger.claim(ids.slice(0, 45));
    for (let step = 0; step < 2; step += 1) {
      const rows = await ledger.database.query<{ ids: string[] }>(
        "select ids from take_turn(0, 'w', 100, 1, '{}', '{}', 1, 10)",
      );
      // The first call ends at its bound of looks, or at what is left.
      if (rows.length > 0) expect(rows[0]?.ids).toEqual(ids.slice(45));
    }
    expect((await waitingTurns(ledger.database, [{ account, carrierId: 0 }])).empty).toHaveLength(1);
  });
});

describe('what a worker has taken', () => {
  test('is somebody else’s when it is given back, or when the worker is dead', async () => {
    const { ids } = await batch(10);
    const [piece] = await turn({ segmentsMax: 4 });
    await giveBackTurns(ledger.database, 'w', [piece?.backlogId ?? '']);
    expect(idsOf(await turn({ segmentsMax: 4, workerId: 'dead' }))).toEqual(ids.slice(0, 4));
    expect(idsOf(await turn({ workerId: 'w' }))).toEqual(ids.slice(4));
    await tendBacklogs(ledger.database);
    expect(idsOf(await turn())).toEqual(ids.slice(0, 4));
  });

  test('is over when it says so, and nobody else can say so', async () => {
    const { ids } = await batch(4);
    const [piece] = await turn();
    await finishTurns(ledger.database, 'other', [piece?.backlogId ?? '']);
    expect(await backlogDepths(ledger.database)).toEqual([{ carrierId: 0, accounts: 1, messages: ids.length }]);
    await finishTurns(ledger.database, 'w', [piece?.backlogId ?? '']);
    expect(await backlogDepths(ledger.database)).toEqual([]);
  });
});

describe('orders put into backlogs', () => {
  test('of several accounts, in no order: each account has its own, singles before batches', async () => {
    const { account, ids } = await batch(4);
    const other = await ledger.account(3);
    const singles = [ledger.message(), ledger.message(), ledger.message()];
    await ledger.accept(other, singles);
    const own = [ledger.message()];
    await ledger.database.query('update account_balance set credit_limit = 1000000000 where account_id = $1', [
      account,
    ]);
    await ledger.accept(account, own);
    await putInBacklog(
      ledger.database,
      [singles[2]?.id ?? '', own[0]?.id ?? '', singles[0]?.id ?? ''],
      ANY_CARRIER,
      'single',
    );
    expect(idsOf(await turn())).toEqual([own[0]?.id, ...ids]);
    expect(idsOf(await turn())).toEqual([singles[0]?.id, singles[2]?.id]);
  });

  test('one turn of four is for the batches of an account, so that its own single messages never keep them waiting for ever', async () => {
    const { account, ids } = await batch(4);
    const singles = Array.from({ length: 8 }, () => ledger.message());
    await ledger.database.query('update account_balance set credit_limit = 1000000000 where account_id = $1', [
      account,
    ]);
    await ledger.accept(account, singles);
    const singleIds = singles.map(({ id }) => id);
    await putInBacklog(ledger.database, singleIds, ANY_CARRIER, 'single');
    const turns: string[][] = [];
    for (let number = 0; number < 6; number += 1) turns.push(idsOf(await turn({ segmentsMax: 2 })));
    expect(turns).toEqual([
      singleIds.slice(0, 2),
      singleIds.slice(2, 4),
      singleIds.slice(4, 6),
      ids.slice(0, 2),
      singleIds.slice(6),
      ids.slice(2),
    ]);
  });

  test('that wait for a carrier that is removed may go by any', async () => {
    const carrierId = await ledger.carrier();
    const { ids } = await batch(3);
    await finishTurns(
      ledger.database,
      'w',
      (await turn()).map(({ backlogId }) => backlogId),
    );
    await putInBacklog(ledger.database, ids, carrierId, 'batch');
    expect(await turn()).toEqual([]);
    const [row] = await ledger.database.query<{ name: string }>('select name from carrier where carrier_id = $1', [
      carrierId,
    ]);
    await removeCarrier(ledger.database, row?.name ?? '');
    await tendBacklogs(ledger.database);
    expect(idsOf(await turn())).toEqual(ids);
  });
});

test('after a restore that nobody has noticed nothing is taken, and a hold keeps what it covers', async () => {
  const { ids } = await batch(3);
  await setHold(ledger.database, 'spec');
  expect(await turn()).toEqual([]);
  await ledger.database.query('update dispatch_hold set released_at = now()');
  expect(await ledger.state(ids[0] ?? '')).toBe('queued');
});
