import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Overloaded } from '#batching';
import { loadConfig } from '#config';
import { type AcceptRequest, type AcceptVerdict, Database } from '#persistence';
import { Problem } from '../../apps/gateway/http/problem.js';
import { AcceptLanes } from '../../apps/gateway/messages/accept-lanes.js';
import { GatewayMetrics } from '../../apps/gateway/operator/gateway-metrics.js';
import { batchOf, requestOf, SEGMENT_PRICE, TestLedger } from '../support/test-ledger.js';

/** The accept path of two gateways: each with its own pool and its own lanes, as two processes have them. */
let ledger: TestLedger;
const databases: Database[] = [];
const gateways: AcceptLanes[] = [];
/** One that tells its client early that it does not know. */
let impatient: AcceptLanes;

const GATEWAY = 'spec-gateway';

async function gateway(settings: Record<string, string> = {}): Promise<AcceptLanes> {
  const database = await Database.open({ url: ledger.url, poolSize: 4, applicationName: GATEWAY });
  databases.push(database);
  return new AcceptLanes(database, loadConfig(settings), new GatewayMetrics());
}

beforeAll(async () => {
  ledger = await TestLedger.create();
  gateways.push(await gateway({ ACCEPT_WAIT_MAX_MS: '20000' }), await gateway({ ACCEPT_WAIT_MAX_MS: '20000' }));
  impatient = await gateway({ ACCEPT_WAIT_MAX_MS: '100' });
});
afterEach(() => ledger.expectClean());
afterAll(async () => {
  for (const database of databases) await database.close();
  await ledger.close();
});

function send(turn: number, accountId: string, request: AcceptRequest): Promise<AcceptVerdict> {
  const lanes = gateways[turn % gateways.length];
  if (lanes === undefined) throw new Error('unreachable');
  return lanes.accept(accountId, request);
}

function countOf(verdicts: readonly AcceptVerdict[], kind: AcceptVerdict['kind']): number {
  return verdicts.filter((verdict) => verdict.kind === kind).length;
}

const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));

describe('two gateways and one account', () => {
  test('money for exactly 200 messages and 2,000 sends: 200 are accepted and the balance is exactly 0', async () => {
    const account = await ledger.account(200);
    const verdicts = await Promise.all(
      times(10, async (sender) => {
        const mine: AcceptVerdict[] = [];
        for (let round = 0; round < 20; round += 1) {
          const sends = times(10, () => send(sender, account, requestOf(ledger.message())));
          mine.push(...(await Promise.all(sends)));
        }
        return mine;
      }),
    ).then((all) => all.flat());
    expect(countOf(verdicts, 'accepted')).toBe(200);
    expect(countOf(verdicts, 'insufficient_balance')).toBe(1_800);
    expect(await ledger.figures(account)).toMatchObject({ available: 0n, messages: 200 });
  });

  test('batches and single sends compete for the money, and none is accepted by half', async () => {
    const account = await ledger.account(50);
    const requests = times(60, (index) =>
      index % 3 === 0 ? batchOf(times(7, () => ledger.message())) : requestOf(ledger.message(2)),
    );
    const verdicts = await Promise.all(requests.map((request, index) => send(index, account, request)));
    const { available, messages } = await ledger.figures(account);
    const accepted = requests.filter((_, index) => verdicts[index]?.kind === 'accepted');
    expect(messages).toBe(accepted.reduce((sum, request) => sum + request.messages.length, 0));
    expect(available).toBe(50n * SEGMENT_PRICE - accepted.reduce((sum, { total }) => sum + total, 0n));
    expect(available).toBeLessThan(2n * SEGMENT_PRICE);
  });

  test('100 parallel twins under one key are one charge and one answer', async () => {
    const account = await ledger.account(1_000);
    const twin = () =>
      batchOf([ledger.message(), ledger.message(3)], { key: 'twin', fingerprint: Buffer.alloc(32, 9) });
    const verdicts = await Promise.all(times(100, (index) => send(index, account, twin())));
    expect(countOf(verdicts, 'accepted')).toBe(1);
    expect(verdicts.filter(({ kind }) => kind === 'replayed')).toEqual(
      Array(99).fill({ kind: 'replayed', firstSequence: 1n, orderCount: 2 }),
    );
    expect(await ledger.figures(account)).toMatchObject({ reserved: 4n * SEGMENT_PRICE, messages: 2 });
  });

  test('a rate limit holds over both together', async () => {
    const account = await ledger.account(1_000, { rateLimitPerSecond: 50 });
    const startMs = performance.now();
    const verdicts = await Promise.all(times(400, (index) => send(index, account, requestOf(ledger.message()))));
    const seconds = (performance.now() - startMs) / 1_000;
    expect(countOf(verdicts, 'accepted')).toBeGreaterThanOrEqual(50);
    expect(countOf(verdicts, 'accepted')).toBeLessThanOrEqual(Math.ceil(50 + 50 * seconds));
    expect(countOf(verdicts, 'accepted') + countOf(verdicts, 'rate_limited')).toBe(400);
  });

  test('accounts do not wait for each other: one whose row is locked delays nobody else', async () => {
    const [locked, free] = [await ledger.account(5), await ledger.account(5)];
    await ledger.database.transaction(async (transaction) => {
      await transaction.query('select from account_balance where account_id = $1 for update', [locked]);
      const waiting = send(0, locked, requestOf(ledger.message()));
      expect(await send(0, free, requestOf(ledger.message()))).toEqual({ kind: 'accepted' });
      // It ends once the lock is gone.
      void waiting.catch(() => undefined);
    });
    await gateways[0]?.drain();
    expect(await ledger.figures(locked)).toMatchObject({ messages: 1 });
  });
});

test('a request that the database cannot store fails alone; those of the same commit are accepted', async () => {
  const account = await ledger.account(100);
  const poison = ledger.message(1, { message: 'a text with \0 in it' });
  const requests = [...times(9, () => ledger.message()), poison, ...times(9, () => ledger.message())].map(requestOf);
  const results = await Promise.allSettled(requests.map((request) => send(0, account, request)));
  expect(results.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([9]);
  expect(await ledger.figures(account)).toMatchObject({ messages: 18, reserved: 18n * SEGMENT_PRICE });
});

describe('connections that die during the commit', () => {
  const KILLS = 12;

  /** Ends sessions while they commit, the next one as soon as another message got through. */
  function killSessions(account: string): { readonly isDone: boolean; readonly done: Promise<void> } {
    let killed = 0;
    let messagesBefore = -1;
    const running = (async () => {
      while (killed < KILLS) {
        const { messages } = await ledger.figures(account);
        if (messages === messagesBefore) continue;
        const rows = await ledger.database.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
            where application_name = $1 and datname = current_database() and state = 'active' order by random() limit 1`,
          [GATEWAY],
        );
        if (rows.length > 0) messagesBefore = messages;
        killed += rows.length;
      }
    })();
    return {
      get isDone() {
        return killed >= KILLS;
      },
      done: running,
    };
  }

  /** Sends until the answer is known, as a client does that has a key. Each try has new ids, as in a gateway. */
  async function sendUntilKnown(turn: number, account: string, key: string): Promise<string[]> {
    const fingerprint = createHash('sha256').update(key).digest();
    for (;;) {
      const request = batchOf([ledger.message(), ledger.message()], { key, fingerprint });
      try {
        const verdict = await (turn % 3 === 0 ? impatient.accept(account, request) : send(turn, account, request));
        if (verdict.kind === 'accepted') return request.messages.map(({ id }) => id);
        expect(verdict).toMatchObject({ kind: 'replayed', orderCount: 2 });
        return [];
      } catch (error) {
        expect(error instanceof Problem || error instanceof Overloaded).toBe(true);
      }
    }
  }

  test('every acknowledged send is stored and charged once, and the keys resolve what is unknown', async () => {
    const account = await ledger.account(100_000);
    const killer = killSessions(account);
    let keys = 0;
    const acknowledged = await Promise.all(
      times(12, async (sender) => {
        const ids: string[] = [];
        while (!killer.isDone) {
          keys += 1;
          ids.push(...(await sendUntilKnown(sender, account, `key ${keys}`)));
        }
        return ids;
      }),
    ).then((all) => all.flat());
    await killer.done;
    expect(await ledger.figures(account)).toMatchObject({
      messages: 2 * keys,
      reserved: BigInt(2 * keys) * SEGMENT_PRICE,
    });
    const [row] = await ledger.database.query<{ found: number; keys: number }>(
      `select (select count(*)::integer from message_order where id = any($1::uuid[])) as found,
              (select count(*)::integer from idempotency_key where account_id = $2) as keys`,
      [acknowledged, account],
    );
    expect(row).toEqual({ found: acknowledged.length, keys });
    expect(new Set(acknowledged).size).toBe(acknowledged.length);
  });

  test('without a key too the gateway itself finds out: one send is one message', async () => {
    const account = await ledger.account(100_000);
    const killer = killSessions(account);
    const verdicts: AcceptVerdict[] = [];
    await Promise.all(
      times(12, async (sender) => {
        while (!killer.isDone) verdicts.push(await send(sender, account, requestOf(ledger.message())));
      }),
    );
    await killer.done;
    const count = verdicts.length;
    expect(countOf(verdicts, 'accepted')).toBe(count);
    expect(await ledger.figures(account)).toMatchObject({ messages: count, reserved: BigInt(count) * SEGMENT_PRICE });
  });
});
