import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  type BacklogRequest,
  backlogDepths,
  changeAccount,
  type FedOrder,
  NOT_ROUTED,
  putInBacklog,
  type Queryable,
  reconcileOrders,
  requeueAll,
  setHold,
  takeFromBacklog,
  waitingScopes,
} from '#persistence';
import { answer, batchOf, TestLedger } from '../support/test-ledger.js';

const DEADLINES = { inDoubtWaitSeconds: 30, receiptDeadlineSeconds: 3_600 };
const DUE_AFTER_SECONDS = 10;

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
beforeEach(() => ledger.forgetOpenWork());
afterAll(() => ledger.close());

const take = (request: Partial<BacklogRequest> = {}, database: Queryable = ledger.database): Promise<FedOrder[]> =>
  takeFromBacklog(database, {
    carrierId: NOT_ROUTED,
    segmentsMax: 1_000,
    quantum: 1_000,
    dueAfterSeconds: DUE_AFTER_SECONDS,
    inFlightMax: undefined,
    ...request,
  });

/** One turn of one account. */
const turn = (segments: number) => take({ segmentsMax: segments, quantum: segments });

const idsOf = (orders: readonly { readonly id: string }[]) => orders.map(({ id }) => id);

/** An account with a batch of so many messages; their ids in order. */
async function batch(count: number, segments = 1): Promise<{ account: string; ids: string[] }> {
  const account = await ledger.account(1_000);
  const messages = Array.from({ length: count }, () => ledger.message(segments));
  expect(await ledger.accept(account, [batchOf(messages)])).toEqual([{ kind: 'accepted' }]);
  return { account, ids: idsOf(messages) };
}

/** Single messages that wait in their account's backlog. */
async function singles(account: string, count: number): Promise<string[]> {
  const messages = Array.from({ length: count }, () => ledger.message());
  const requests = messages.map((message) => ({ ...batchOf([message]), inBacklog: true }));
  await ledger.accept(account, requests);
  return idsOf(messages);
}

/** Jain's index of fairness: 1 when all are equal, 1/n when one has everything. */
function jain(shares: readonly number[]): number {
  const sum = shares.reduce((total, share) => total + share, 0);
  return sum ** 2 / (shares.length * shares.reduce((total, share) => total + share ** 2, 0));
}

describe('round robin', () => {
  test('accounts have turns of equal size, and each message comes up once, in the order of its account', async () => {
    const [long, third, small] = [await batch(50), await batch(20), await batch(5)];
    const accounts: string[] = [];
    const ids: string[] = [];
    for (let orders = await turn(10); orders.length > 0; orders = await turn(10)) {
      accounts.push(orders[0]?.accountId ?? '');
      ids.push(...idsOf(orders));
    }
    const [a, b, c] = [long.account, third.account, small.account];
    expect(accounts).toEqual([a, b, c, a, b, a, a, a]);
    expect([...ids].sort()).toEqual([...long.ids, ...third.ids, ...small.ids].sort());
    expect(ids.filter((id) => long.ids.includes(id))).toEqual(long.ids);
    expect(await backlogDepths(ledger.database)).toEqual([]);
    expect(await waitingScopes(ledger.database)).toEqual([]);
  });

  test('two hundred accounts with backlogs of every length get equal shares', async () => {
    const shares = new Map<string, number>();
    const accounts = 200;
    for (let account = 0; account < accounts; account += 8) {
      await Promise.all(
        Array.from({ length: 8 }, async (_, index) =>
          shares.set((await batch(3 + ((account + index) % 40))).account, 0),
        ),
      );
    }
    for (let taken = 0; taken < 2 * accounts; ) {
      const orders = await take({ segmentsMax: 40, quantum: 1 });
      for (const { accountId } of orders) shares.set(accountId, (shares.get(accountId) ?? 0) + 1);
      taken += orders.length;
    }
    expect(jain([...shares.values()])).toBeGreaterThanOrEqual(0.95);
  });

  test('a turn is counted in segments: long messages give an account no more than short ones', async () => {
    const { ids } = await batch(10, 4);
    expect(idsOf(await turn(10))).toEqual(ids.slice(0, 3));
    expect(idsOf(await turn(1))).toEqual(ids.slice(3, 4));
  });

  test('feeders that ask at once get different messages, and all of them', async () => {
    const accounts = await Promise.all(Array.from({ length: 4 }, () => batch(30)));
    const taken = (await Promise.all(Array.from({ length: 16 }, () => turn(10)))).flat();
    expect(new Set(idsOf(taken)).size).toBe(taken.length);
    const rest = await take();
    expect([...idsOf(taken), ...idsOf(rest)].sort()).toEqual(accounts.flatMap(({ ids }) => ids).sort());
  });

  test('what is accepted while a feeder takes the last of its account is not overlooked', async () => {
    const account = await ledger.account(400);
    const all: string[] = [];
    const seen: string[] = [];
    for (let round = 0; round < 40; round += 1) {
      const [ids, orders] = await Promise.all([singles(account, 2), take()]);
      all.push(...ids);
      seen.push(...idsOf(orders));
    }
    seen.push(...idsOf(await take()));
    expect(seen.sort()).toEqual(all.sort());
  });
});

describe('in the backlog of an account', () => {
  test('single messages go before batches, but for one turn of four', async () => {
    const { account, ids } = await batch(4);
    const singleIds = await singles(account, 8);
    const turns: string[][] = [];
    for (let number = 0; number < 6; number += 1) turns.push(idsOf(await turn(2)));
    expect(turns).toEqual([
      singleIds.slice(0, 2),
      singleIds.slice(2, 4),
      singleIds.slice(4, 6),
      ids.slice(0, 2),
      singleIds.slice(6),
      ids.slice(2),
    ]);
  });

  test('are batches and what was accepted into it, and nothing of a refused batch', async () => {
    const account = await ledger.account(1);
    await ledger.accept(account, [ledger.message()]);
    const refused = await ledger.account(1);
    await ledger.accept(refused, [batchOf([ledger.message(), ledger.message()])]);
    expect(await take()).toEqual([]);
  });

  test('what is claimed already or over is passed over, and what is behind it comes up', async () => {
    const { ids } = await batch(6);
    await ledger.claim(ids.slice(0, 2));
    await ledger.database.query('update message_order set valid_until = now() where id = $1', [ids[2]]);
    expect(idsOf(await take())).toEqual(ids.slice(3));
  });

  test('an order says where it is to go: its destination, and the carrier that has begun it', async () => {
    const account = await ledger.account(10);
    const message = await ledger.queued(account, 2);
    const order = await ledger.claimed(message.id);
    await ledger.record([answer(order, 1, 'accepted', { done: false }), answer(order, 2, 'pending')]);
    await putInBacklog(ledger.database, [message.id], NOT_ROUTED, 'interactive');
    expect(await take()).toMatchObject([
      {
        id: message.id,
        accountId: account,
        lane: 'interactive',
        destination: message.destination,
        segments: 2,
        begunBy: ledger.carrierId,
      },
    ]);
  });

  test('orders of several accounts, in no order, are put each into its own, for one carrier or for any', async () => {
    const carrierId = await ledger.carrier();
    const [a, b] = [await ledger.account(5), await ledger.account(5)];
    const [a1, a2, b1] = [await ledger.queued(a), await ledger.queued(a), await ledger.queued(b)];
    await putInBacklog(ledger.database, [b1.id, a2.id, a1.id], carrierId, 'interactive');
    expect(await take()).toEqual([]);
    expect(await waitingScopes(ledger.database)).toEqual([{ carrierId, accounts: 2 }]);
    expect(idsOf(await take({ carrierId })).sort()).toEqual(idsOf([a1, a2, b1]).sort());
  });
});

describe('an account with a cap', () => {
  test('has no more out of its backlog than the cap, and others have the rest', async () => {
    const [capped, other] = [await batch(20), await batch(20)];
    await changeAccount(ledger.database, capped.account, { maxInFlight: 3 });
    const first = await take();
    expect(idsOf(first).filter((id) => capped.ids.includes(id))).toEqual(capped.ids.slice(0, 3));
    expect(first).toHaveLength(3 + other.ids.length);
    expect(await take()).toEqual([]);
    const [order] = await ledger.claim(capped.ids.slice(0, 1));
    expect(await take()).toEqual([]);
    if (order !== undefined) await ledger.record([answer(order, 1, 'accepted')]);
    expect(idsOf(await take())).toEqual(capped.ids.slice(3, 4));
  });

  test('which the setting gives to all that have none of their own', async () => {
    const { ids } = await batch(10);
    expect(idsOf(await take({ inFlightMax: 2 }))).toEqual(ids.slice(0, 2));
    expect(await take({ inFlightMax: 2 })).toEqual([]);
    await putInBacklog(ledger.database, ids.slice(0, 2), NOT_ROUTED, 'bulk');
    expect(idsOf(await take({ inFlightMax: 2 }))).toEqual(ids.slice(0, 2));
  });

  test('has no more out of two scopes than the cap, although two feeders take at once', async () => {
    const { account, ids } = await batch(20);
    await take();
    await putInBacklog(ledger.database, ids.slice(0, 10), NOT_ROUTED, 'bulk');
    await putInBacklog(ledger.database, ids.slice(10), ledger.carrierId, 'bulk');
    await changeAccount(ledger.database, account, { maxInFlight: 3 });
    await ledger.database.transaction(async (transaction) => {
      expect(await take({}, transaction)).toHaveLength(3);
      expect(await take({ carrierId: ledger.carrierId })).toEqual([]);
    });
    expect(await take({ carrierId: ledger.carrierId })).toEqual([]);
  });
});

describe('what has left its backlog', () => {
  const dueSeconds = async (id: string) => {
    const sql = 'select extract(epoch from due_at - now())::float8 as due from message_order where id = $1';
    const [row] = await ledger.database.query<{ due: number }>(sql, [id]);
    return row?.due ?? Number.NaN;
  };

  test('is due soon, and comes back by its deadline when nobody claims it', async () => {
    const { ids } = await batch(5);
    const [first = ''] = ids;
    expect(await dueSeconds(first)).toBeGreaterThan(3_000);
    await take();
    expect(await dueSeconds(first)).toBeLessThanOrEqual(DUE_AFTER_SECONDS);
    expect(await reconcileOrders(ledger.database, DEADLINES)).toBe(0);
    for (const id of ids) await ledger.age(id, DUE_AFTER_SECONDS + 1);
    expect(await reconcileOrders(ledger.database, DEADLINES)).toBe(5);
    expect(idsOf(await take())).toEqual(ids);
  });

  test('comes back at once when the queues have lost their jobs; what never left is not touched', async () => {
    const { ids } = await batch(30);
    const fed = idsOf(await turn(10));
    await requeueAll(ledger.database, DUE_AFTER_SECONDS);
    expect(await reconcileOrders(ledger.database, DEADLINES)).toBe(10);
    const [depth] = await backlogDepths(ledger.database);
    expect(depth?.messages).toBe(30);
    expect(new Set(idsOf(await take()))).toEqual(new Set([...fed, ...ids]));
  });

  test('what waits for its next attempt keeps its deadline, also if a job that ran twice puts it back', async () => {
    const { ids } = await batch(2);
    await take();
    const order = await ledger.claimed(ids[0] ?? '');
    await ledger.record([answer(order, 1, 'pending', { answer: 'ESME_RTHROTTLED', retryAfterMs: 30_000 })]);
    await putInBacklog(ledger.database, ids, NOT_ROUTED, 'bulk');
    expect(idsOf(await take({ dueAfterSeconds: 60 }))).toEqual(ids.slice(1));
    expect(await dueSeconds(order.id)).toBeLessThanOrEqual(32);
  });

  test('what waits for its next attempt is not taken out of a row that a job before it has left behind', async () => {
    const { ids } = await batch(2);
    const order = await ledger.claimed(ids[0] ?? '');
    await ledger.record([answer(order, 1, 'pending', { answer: 'ESME_RTHROTTLED', retryAfterMs: 30_000 })]);
    expect(idsOf(await take({ dueAfterSeconds: 60 }))).toEqual(ids.slice(1));
    expect(await dueSeconds(order.id)).toBeLessThanOrEqual(32);
  });

  test('what has waited for its next attempt comes up, although the clock is set back meanwhile', async () => {
    const { ids } = await batch(1);
    await take();
    const order = await ledger.claimed(ids[0] ?? '');
    await ledger.record([answer(order, 1, 'pending', { retryAfterMs: 1_000 })]);
    await ledger.age(order.id, 10);
    expect(await reconcileOrders(ledger.database, DEADLINES)).toBe(1);
    await ledger.age(order.id, -3_600);
    expect(idsOf(await take())).toEqual(ids);
  });

  test('an order that somebody has locked waits for nobody: the reconciler takes it the next time', async () => {
    const { ids } = await batch(2);
    await take();
    for (const id of ids) await ledger.age(id, DUE_AFTER_SECONDS + 1);
    await ledger.database.transaction(async (transaction) => {
      await transaction.query('select from message_order where id = $1 for update', [ids[0]]);
      expect(await reconcileOrders(ledger.database, DEADLINES)).toBe(1);
    });
    expect(await reconcileOrders(ledger.database, DEADLINES)).toBe(1);
  });
});

test('a hold keeps what it covers, whatever is in the backlogs', async () => {
  const { ids } = await batch(3);
  await setHold(ledger.database, 'spec');
  expect(await take()).toEqual([]);
  await ledger.database.query('update dispatch_hold set released_at = now()');
  expect(await ledger.state(ids[0] ?? '')).toBe('queued');
});
