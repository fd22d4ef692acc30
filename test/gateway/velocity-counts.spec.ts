import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { Database } from '#persistence';
import { VelocityCounts } from '../../apps/gateway/guards/velocity-counts.js';
import { eventually } from '../support/eventually.js';

const HOUR_MS = 3_600_000;
const HOUR_END_MS = Date.parse('2026-11-22T20:00:00Z');
const LEFT_MS = 100;

test('what was counted in an hour and is refused in the next one takes nothing from what that one has counted', async () => {
  const startMs = performance.now();
  // The database's clock: the hour is about to end, and this gateway is alone.
  const share = () => {
    const nowMs = HOUR_END_MS - LEFT_MS + performance.now() - startMs;
    return { hourMs: nowMs - (nowMs % HOUR_MS), nowMs, holders: 1, holds: true };
  };
  const velocity = new VelocityCounts({ query: async () => [share()] } as unknown as Database);
  const take = (messages: number) => velocity.take('1001 number', [...Array(messages).keys()], 8);
  await velocity.onApplicationBootstrap();
  try {
    const underWay = take(4);
    expect(underWay.here).toBe(4);
    await delay(LEFT_MS);
    // Until it knows its share of the new hour, the database counts.
    await eventually(async () => expect(take(1).here).toBe(1));
    expect(take(4).here).toBe(3);
    velocity.giveBack([underWay]);
    expect(take(1).here).toBe(0);
  } finally {
    await velocity.onApplicationShutdown();
  }
});
