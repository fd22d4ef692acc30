import { expect, test } from '@jest/globals';
import { KeyedCoalescer, Overloaded } from '#batching';

test('items of one key share a write, and items of another key do not wait for it', async () => {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const writes: [string, number[]][] = [];
  const coalescer = new KeyedCoalescer<string, number, number>(
    async (key, items) => {
      writes.push([key, [...items]]);
      if (key === 'slow') await held;
      return items.map((item) => item * 10);
    },
    { itemsMax: 100, pendingMax: 2 },
  );
  const first = coalescer.add('slow', 1);
  expect(await Promise.all([coalescer.add('fast', 5), coalescer.add('fast', 6)])).toEqual([50, 60]);
  const later = [coalescer.add('slow', 2), coalescer.add('slow', 3)];
  // What waits is bounded for each key.
  await expect(coalescer.add('slow', 4)).rejects.toThrow(Overloaded);
  expect(await coalescer.add('fast', 7)).toBe(70);
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

test('a key gathers for its time although it was idle and other keys came', async () => {
  const startsMs: number[] = [];
  const coalescer = new KeyedCoalescer<string, number, number>(
    async (key, items) => {
      if (key === 'gathers') startsMs.push(performance.now());
      return [...items];
    },
    { itemsMax: 100, gatherMs: 200 },
  );
  await coalescer.add('gathers', 1);
  await coalescer.add('other', 2);
  await coalescer.add('gathers', 3);
  const [first = 0, second = 0] = startsMs;
  expect(second - first).toBeGreaterThan(190);
});
