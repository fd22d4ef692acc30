import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { JOURNAL_KINDS, ORDER_STATES, TRANSITIONS } from '#billing';
import { TestLedger } from '../support/test-ledger.js';

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterAll(() => ledger.close());

const isLegal = (from: string, to: string) =>
  TRANSITIONS.some((transition) => transition.from === from && transition.to === to);

async function enumOf(name: string): Promise<string[]> {
  const rows = await ledger.database.query<{ value: string }>(
    `select unnest(enum_range(null::${name}))::text as value`,
  );
  return rows.map(({ value }) => value);
}

/** Whether the database lets the statement's row in. */
async function isTaken(sql: string, parameters: unknown[]): Promise<boolean> {
  try {
    await ledger.database.query(sql, parameters);
    return true;
  } catch (error) {
    expect(String(error)).toMatch(/violates check constraint/);
    return false;
  }
}

describe('the database and the code agree', () => {
  test('on the states of an order', async () => {
    expect(await enumOf('order_state')).toEqual([...ORDER_STATES]);
  });

  test.each(ORDER_STATES.flatMap((from) => ORDER_STATES.map((to) => [from, to] as const)))(
    'on whether %s may become %s',
    async (from, to) => {
      const taken = await isTaken(
        `insert into order_transition (message_id, at, from_state, to_state, actor) values ($1, now(), $2, $3, 'worker')`,
        [randomUUID(), from, to],
      );
      expect(taken).toBe(isLegal(from, to));
    },
  );

  test('on the kinds of journal entries', async () => {
    expect((await enumOf('entry_kind')).sort()).toEqual(Object.keys(JOURNAL_KINDS).sort());
  });

  test('on where money may move: no entry that the rules forbid can be written', async () => {
    const account = await ledger.account(0);
    const buckets = await enumOf('ledger_bucket');
    let entry = 0;
    for (const [kind, rule] of Object.entries(JOURNAL_KINDS)) {
      for (const debit of buckets) {
        for (const credit of buckets) {
          const isAllowed =
            (debit === rule.debit && credit === rule.credit) ||
            (rule.eitherWay && debit === rule.credit && credit === rule.debit);
          entry += 1;
          const taken = await isTaken(
            `insert into journal_entry (account_id, entry, kind, debit, credit, amount, available_after)
             values ($1, $2, $3, $4, $5, 1, 0)`,
            [account, entry, kind, debit, credit],
          );
          expect([kind, debit, credit, taken]).toEqual([kind, debit, credit, isAllowed]);
        }
      }
    }
  });
});
