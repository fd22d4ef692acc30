import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { recordFreeSubmits } from '#persistence';
import { answer, TestLedger } from '../support/test-ledger.js';
import { submitting } from './submitted-orders.js';

const OWNER = { workerId: 'worker-1', leaseSeconds: 60, inDoubtWaitSeconds: 300 };

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterEach(() => ledger.expectClean());
afterAll(() => ledger.close());

/** Two sessions that hand the balance to each other, as accepts do: it is never free, but has a line. */
async function handOn(accountId: string): Promise<() => Promise<void>> {
  const sessions = [new pg.Client(ledger.url), new pg.Client(ledger.url)];
  for (const session of sessions) await session.connect();
  const nth = (turn: number) => sessions[turn % 2] as pg.Client;
  const take = async (session: pg.Client) => {
    await session.query('begin');
    await session.query('select from account_balance where account_id = $1 for update', [accountId]);
  };
  let isOver = false;
  await take(nth(0));
  const handing = (async () => {
    for (let turn = 0; !isOver; turn += 1) {
      const next = take(nth(turn + 1));
      await delay(20);
      await nth(turn).query('commit');
      await next;
    }
  })();
  return async () => {
    isOver = true;
    await handing;
    for (const session of sessions) await session.end();
  };
}

describe('a balance that accepts always hold', () => {
  test('is had, in one call, by the answer that waits for it, with the answers of others', async () => {
    const held = await submitting(ledger);
    const free = await submitting(ledger);
    const stop = await handOn(held.account);
    const answers = [answer(held.order, 1, 'accepted'), answer(free.order, 1, 'accepted')];
    try {
      expect(await recordFreeSubmits(ledger.database, answers, OWNER, held.order.id)).toMatchObject({
        moves: expect.arrayContaining(
          [held, free].map(({ order }) => expect.objectContaining({ id: order.id, state: 'sent' })),
        ),
        held: new Set(),
      });
    } finally {
      await stop();
    }
  });

  test('is waited for only for a while, and then the answers of others are written', async () => {
    const held = await submitting(ledger);
    const free = await submitting(ledger);
    const answers = [answer(held.order, 1, 'accepted'), answer(free.order, 1, 'accepted')];
    const holder = new pg.Client(ledger.url);
    await holder.connect();
    try {
      await holder.query('begin');
      await holder.query('select from account_balance where account_id = $1 for update', [held.account]);
      expect(await recordFreeSubmits(ledger.database, answers, OWNER, held.order.id)).toEqual({
        moves: [expect.objectContaining({ id: free.order.id, state: 'sent' })],
        held: new Set([held.order.id]),
      });
    } finally {
      await holder.end();
    }
    expect(await ledger.state(held.order.id)).toBe('sending');
  });
});

test('an order that another transaction holds keeps no answer to another order back', async () => {
  const held = await submitting(ledger);
  const free = await submitting(ledger);
  const answers = [answer(held.order, 1, 'accepted'), answer(free.order, 1, 'accepted')];
  const holder = new pg.Client(ledger.url);
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query('select from message_order where id = $1 for update', [held.order.id]);
    expect(await recordFreeSubmits(ledger.database, answers, OWNER)).toMatchObject({
      moves: [{ id: free.order.id, state: 'sent' }],
      held: new Set([held.order.id]),
    });
  } finally {
    await holder.end();
  }
  expect(await ledger.state(held.order.id)).toBe('sending');
});
