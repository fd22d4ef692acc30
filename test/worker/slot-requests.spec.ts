import { expect, test } from '@jest/globals';
import type { SubmitSlot } from '#carrier';
import { SlotRequests } from '../../apps/worker/dispatch/dispatch.processor.js';
import { eventually } from '../support/eventually.js';

/** A carrier with so many free slots. */
function carrier(free: number) {
  const state = { free };
  const requests = new SlotRequests((max) => {
    const count = Math.min(max, state.free);
    state.free -= count;
    return Array.from({ length: count }, () => ({}) as SubmitSlot);
  });
  const add = (slots: number): void => {
    state.free += slots;
    requests.mayBeFree();
  };
  return { state, requests, add };
}

test('a request gets at once what is free, and never more than it asked for', async () => {
  const { state, requests } = carrier(10);
  expect(await requests.take(4, 'bulk', 1, 1_000)).toHaveLength(4);
  expect(await requests.take(50, 'interactive', 1, 1_000)).toHaveLength(6);
  expect(state.free).toBe(0);
});

test('interactive requests are served before bulk ones that came earlier, and bulk keeps a quarter', async () => {
  const { requests, add } = carrier(0);
  const got = { bulk: 0, interactive: 0 };
  for (const lane of ['bulk', 'interactive'] as const) {
    for (let request = 0; request < 40; request += 1) {
      void requests.take(2, lane, 1, 60_000).then((taken) => {
        got[lane] += taken.length;
      });
    }
  }
  add(2);
  await eventually(() => got.interactive + got.bulk === 2);
  expect(got.bulk).toBe(0);
  add(62);
  await eventually(() => got.interactive + got.bulk === 64);
  expect(got).toEqual({ interactive: 48, bulk: 16 });
  requests.close();
});

test('interactive requests are served in the order in which they came', async () => {
  const { requests, add } = carrier(0);
  const order: number[] = [];
  const waits = [0, 1, 2].map((number) => requests.take(1, 'interactive', 1, 60_000).then(() => order.push(number)));
  for (let added = 0; added < 3; added += 1) {
    add(1);
    await Promise.race(waits.slice(added));
  }
  await Promise.all(waits);
  expect(order).toEqual([0, 1, 2]);
});

test('a bulk job that has begun gets all its slots before bulk jobs that came later', async () => {
  const { requests, add } = carrier(1);
  const [first, second] = [1, 2];
  expect(await requests.take(2, 'bulk', first, 60_000)).toHaveLength(1);
  const order: string[] = [];
  const later = requests.take(1, 'bulk', second, 60_000).then(() => order.push('second'));
  const again = requests.take(1, 'bulk', first, 60_000).then(() => order.push('first'));
  add(1);
  await again;
  add(1);
  await later;
  expect(order).toEqual(['first', 'second']);
});

test('a request that gets nothing in its time ends, and takes no slot later', async () => {
  const { state, requests, add } = carrier(0);
  expect(await requests.take(1, 'bulk', 1, 20)).toEqual([]);
  add(1);
  expect(state.free).toBe(1);
  expect(await requests.take(1, 'bulk', 1, 1_000)).toHaveLength(1);
});

test('when the consumer ends, every request is answered with nothing', async () => {
  const { state, requests, add } = carrier(0);
  const waiting = requests.take(1, 'interactive', 1, 60_000);
  requests.close();
  expect(await waiting).toEqual([]);
  add(5);
  expect(await requests.take(1, 'interactive', 1, 60_000)).toEqual([]);
  expect(state.free).toBe(5);
});
