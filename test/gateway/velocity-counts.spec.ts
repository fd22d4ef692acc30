import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { Database } from '#persistence';
import { VelocityCounts } from '../../apps/gateway/guards/velocity-counts.js';

const HOUR_MS = 3_600_000;
const LEFT_MS = 100;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

test('what was counted in an hour and is refused in the next one takes nothing from what that one has counted', async () => {
  const startMs = performance.now();
  // The database's clock: the hour is about to end, and this gateway is alone.
  const share = () => {
    const nowMs = HOUR_MS - LEFT_MS + performance.now() - startMs;
    return { hourMs: nowMs - (nowMs % HOUR_MS), nowMs, holders: 1, holds: true };
  };
  const velocity = new VelocityCounts({ query: async () => [share()] } as unknown as Database);
  const take = (messages: number) => velocity.take('1001 number', [...Array(messages).keys()], 8);
  await velocity.onApplicationBootstrap();
  const underWay = take(4);
  expect(underWay.here).toBe(4);
  await jest.advanceTimersByTimeAsync(LEFT_MS);
  // It asks for its share of the new hour; until it knows it, the database counts.
  expect(take(1).here).toBe(0);
  await jest.advanceTimersByTimeAsync(0);
  expect(take(4).here).toBe(4);
  velocity.giveBack([underWay]);
  expect(take(1).here).toBe(0);
  await velocity.onApplicationShutdown();
});
