import { expect, test } from '@jest/globals';
import { LineLimit } from '#telemetry';
import { eventually } from '../support/eventually.js';

test('so many lines a second, and then the number of the others, once a second', async () => {
  const told: number[] = [];
  const limit = new LineLimit(5, (leftOut) => told.push(leftOut));
  const startMs = performance.now();
  let admitted = 0;
  for (let n = 0; n < 1_000; n += 1) if (limit.admits()) admitted += 1;
  const seconds = Math.ceil((performance.now() - startMs) / 1_000);
  expect(admitted).toBeGreaterThanOrEqual(5);
  expect(admitted).toBeLessThanOrEqual(5 * (seconds + 1));
  await eventually(() => expect(told.reduce((sum, count) => sum + count, 0)).toBe(1_000 - admitted));
  expect(told.length).toBeLessThanOrEqual(seconds + 1);
  await eventually(() => expect(limit.admits()).toBe(true));
});
