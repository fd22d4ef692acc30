import { expect, test } from '@jest/globals';
import { Coalescer, Overloaded } from '#batching';

test('items of one key share a write, and items of another key do not wait for it', async () => {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const writes: [string, number[]][] = [];
  const coalescer = new Coalescer<number, number>(
    async (items, key) => {
      writes.push([key, [...items]]);
      if (key === 'slow') await held;
      return items.map((item) => item * 10);
    },
    { keysApart: true, itemsMax: 100, pendingMax: 2 },
  );
  const first = coalescer.add(1, 'slow');
  expect(await Promise.all([coalescer.add(5, 'fast'), coalescer.add(6, 'fast')])).toEqual([50, 60]);
  const later = [coalescer.add(2, 'slow'), coalescer.add(3, 'slow')];
  // What waits is bounded for each key.
  await expect(coalescer.add(4, 'slow')).rejects.toThrow(Overloaded);
  expect(await coalescer.add(7, 'fast')).toBe(70);
  const drained = coalescer.drain();
  release();
  expect(await Promise.all([first, ...later])).toEqual([10, 20, 30]);
  await drained;
  expect(writes.filter(([key]) => key === 'slow')).toEqual([
    ['slow', [1]],
    ['slow', [2, 3]],
  ]);
  expect(writes.filter(([key]) => key === 'fast')).toEqual([
    ['fast', [5, 6]],
    ['fast', [7]],
  ]);
});

test('a time to gather is that of all keys: those that come meanwhile are written at the same moment', async () => {
  const startsMs: number[] = [];
  const coalescer = new Coalescer<number, number>(
    async (items) => {
      startsMs.push(performance.now());
      return [...items];
    },
    { keysApart: true, itemsMax: 100, gatherMs: 200 },
  );
  await coalescer.add(1, 'a');
  await Promise.all([coalescer.add(2, 'b'), coalescer.add(3, 'a')]);
  const [first = 0, second = 0, third = 0] = startsMs;
  expect(second - first).toBeGreaterThan(190);
  expect(third - second).toBeLessThan(100);
  expect(startsMs).toHaveLength(3);
});
