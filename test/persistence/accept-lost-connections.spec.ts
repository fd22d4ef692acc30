import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Overloaded } from '#batching';
import type { AcceptVerdict } from '#persistence';
import { Problem } from '../../apps/gateway/http/problem.js';
import type { GroupCommit } from '../../apps/gateway/messages/group-commit.js';
import { batchOf, requestOf, SEGMENT_PRICE, type TestLedger } from '../support/test-ledger.js';
import { countOf, GATEWAY, TwoGateways, times } from './two-gateways.js';

let two: TwoGateways;
let ledger: TestLedger;
/** One that tells its client early that it does not know. */
let impatient: GroupCommit;
beforeAll(async () => {
  two = await TwoGateways.start();
  ledger = two.ledger;
  impatient = await two.open({ ACCEPT_WAIT_MAX_MS: '100' });
});
afterEach(() => ledger.expectClean());
afterAll(() => two.close());

describe('connections that die during the commit', () => {
  const KILLS = 12;
  const SENDERS = 12;
  const threeAccounts = () => Promise.all(times(3, () => ledger.account(100_000)));
  const accountOf = (accounts: readonly string[], sender: number) => accounts[(sender >> 2) % accounts.length] ?? '';

  async function messagesOf(accounts: readonly string[]): Promise<number> {
    const figures = await Promise.all(accounts.map((account) => ledger.figures(account)));
    return figures.reduce((sum, { messages }) => sum + messages, 0);
  }

  async function reservedOf(accounts: readonly string[]): Promise<bigint> {
    const figures = await Promise.all(accounts.map((account) => ledger.figures(account)));
    return figures.reduce((sum, { reserved }) => sum + reserved, 0n);
  }

  /** Ends sessions while they commit, the next one as soon as another message got through. */
  function killSessions(accounts: readonly string[]): { readonly isDone: boolean; readonly done: Promise<void> } {
    let killed = 0;
    let messagesBefore = -1;
    const running = (async () => {
      while (killed < KILLS) {
        const messages = await messagesOf(accounts);
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
        const verdict = await (turn % 3 === 0 ? impatient.accept(account, request) : two.send(turn, account, request));
        if (verdict.kind === 'accepted') return request.messages.map(({ id }) => id);
        expect(verdict).toMatchObject({ kind: 'replayed', orderCount: 2 });
        return [];
      } catch (error) {
        expect(error instanceof Problem || error instanceof Overloaded).toBe(true);
      }
    }
  }

  test('every acknowledged send is stored and charged once, and the keys resolve what is unknown', async () => {
    const accounts = await threeAccounts();
    const killer = killSessions(accounts);
    let keys = 0;
    const acknowledged = await Promise.all(
      times(SENDERS, async (sender) => {
        const ids: string[] = [];
        while (!killer.isDone) {
          keys += 1;
          ids.push(...(await sendUntilKnown(sender, accountOf(accounts, sender), `key ${keys}`)));
        }
        return ids;
      }),
    ).then((all) => all.flat());
    await killer.done;
    expect(await messagesOf(accounts)).toBe(2 * keys);
    expect(await reservedOf(accounts)).toBe(BigInt(2 * keys) * SEGMENT_PRICE);
    const [row] = await ledger.database.query<{ found: number; keys: number }>(
      `select (select count(*)::integer from message_order where id = any($1::uuid[])) as found,
              (select count(*)::integer from idempotency_key where account_id = any($2::bigint[])) as keys`,
      [acknowledged, accounts],
    );
    expect(row).toEqual({ found: acknowledged.length, keys });
    expect(new Set(acknowledged).size).toBe(acknowledged.length);
  });

  test('without a key too the gateway itself finds out: one send is one message', async () => {
    const accounts = await threeAccounts();
    const killer = killSessions(accounts);
    const verdicts: AcceptVerdict[] = [];
    await Promise.all(
      times(SENDERS, async (sender) => {
        while (!killer.isDone) {
          verdicts.push(await two.send(sender, accountOf(accounts, sender), requestOf(ledger.message())));
        }
      }),
    );
    await killer.done;
    const count = verdicts.length;
    expect(countOf(verdicts, 'accepted')).toBe(count);
    expect(await messagesOf(accounts)).toBe(count);
    expect(await reservedOf(accounts)).toBe(BigInt(count) * SEGMENT_PRICE);
  });
});
