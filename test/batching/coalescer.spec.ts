import { describe, expect, jest, test } from '@jest/globals';
import { Coalescer, Overloaded } from '#batching';
import { turns } from '../support/turns.js';
import { until } from '../support/until.js';

/** A flush that a spec ends by hand. */
function heldFlush() {
  const batches: number[][] = [];
  const release: ((results?: readonly number[]) => void)[] = [];
  const fail: ((error: Error) => void)[] = [];
  const flush = (items: number[]) =>
    new Promise<readonly number[]>((resolve, reject) => {
      batches.push(items);
      release.push((results) => resolve(results ?? items));
      fail.push(reject);
    });
  return { batches, release, fail, flush };
}

describe('what arrives together is written together', () => {
  test('a lone item is written in the next turn of the event loop, without waiting for others', async () => {
    const { batches, release, flush } = heldFlush();
    const coalescer = new Coalescer(flush, { itemsMax: 10 });
    const result = coalescer.add(1);
    await turns(1);
    expect(batches).toEqual([[1]]);
    release[0]?.([7]);
    expect(await result).toBe(7);
  });

  test('items that come while a write is under way share the next one, in the order of their arrival', async () => {
    const { batches, release, flush } = heldFlush();
    const coalescer = new Coalescer(flush, { itemsMax: 10 });
    const results = [1, 2].map((item) => coalescer.add(item));
    await turns();
    for (const item of [3, 4, 5]) results.push(coalescer.add(item));
    await turns();
    expect(batches).toEqual([[1, 2]]);
    release[0]?.();
    await turns();
    expect(batches).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
    release[1]?.();
    expect(await Promise.all(results)).toEqual([1, 2, 3, 4, 5]);
  });

  test('a write takes no more items and no more weight than it may, and a heavier item goes alone', async () => {
    const { batches, release, flush } = heldFlush();
    const coalescer = new Coalescer(flush, { itemsMax: 3, weightMax: 10, weigh: (item) => item });
    const results = [4, 4, 4, 30, 1, 1, 1, 1].map((item) => coalescer.add(item));
    for (let write = 0; write < 5; write += 1) {
      await until('the next write', () => release[write] !== undefined);
      release[write]?.();
    }
    await Promise.all(results);
    expect(batches).toEqual([[4, 4], [4], [30], [1, 1, 1], [1]]);
  });

  test('where gathering pays, writes start no sooner after each other than told, and the first one at once', async () => {
    const gatherMs = 40;
    const starts: { atMs: number; items: number[] }[] = [];
    const coalescer = new Coalescer<number, number>(
      async (items) => {
        starts.push({ atMs: performance.now(), items });
        return items;
      },
      { itemsMax: 10, gatherMs },
    );
    await coalescer.add(1);
    const later = [2, 3].map((item) => coalescer.add(item));
    await turns();
    expect(starts.map(({ items }) => items)).toEqual([[1]]);
    await Promise.all(later);
    expect(starts.map(({ items }) => items)).toEqual([[1], [2, 3]]);
    const [first, second] = starts.map(({ atMs }) => atMs);
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(gatherMs - 2);
  });

  test('in a hurry nothing gathers: what waits is written at once, or after the write in flight', async () => {
    const { batches, release, flush } = heldFlush();
    const coalescer = new Coalescer(flush, { itemsMax: 10, gatherMs: 3_600_000 });
    const results = [coalescer.add(1)];
    await turns();
    release[0]?.();
    await results[0];
    results.push(coalescer.add(2));
    await turns();
    expect(batches).toEqual([[1]]);
    results.push(coalescer.add(3));
    coalescer.hurry();
    await turns();
    expect(batches).toEqual([[1], [2, 3]]);
    results.push(coalescer.add(4));
    coalescer.hurry();
    release[1]?.();
    await turns();
    expect(batches).toEqual([[1], [2, 3], [4]]);
    release[2]?.();
    expect(await Promise.all(results)).toEqual([1, 2, 3, 4]);
  });

  test.each([
    { tookMs: 2, startsAfterMs: 10 },
    { tookMs: 8, startsAfterMs: 24 },
    { tookMs: 40, startsAfterMs: 60 },
  ])('after a write of $tookMs ms, the next one starts $startsAfterMs ms after its start', async (write) => {
    jest.useFakeTimers();
    const starts: number[] = [];
    const coalescer = new Coalescer<number, number>(
      async (items) => {
        starts.push(performance.now());
        await new Promise((resolve) => setTimeout(resolve, write.tookMs));
        return items;
      },
      { itemsMax: 100, gatherMs: 10, gatherMaxMs: 60 },
    );
    const both = Promise.all([coalescer.add(1), jest.advanceTimersByTimeAsync(1).then(() => coalescer.add(2))]);
    await jest.advanceTimersByTimeAsync(300);
    await both;
    jest.useRealTimers();
    const [first = 0, second = 0] = starts;
    expect(Math.round(second - first)).toBe(write.startsAfterMs);
  });
});

describe('a fault stays with the one who made it', () => {
  test('an item that poisons a write fails alone; every other one of the write gets its own result', async () => {
    const poison = new Error('poison');
    const isWritten: number[] = [];
    const coalescer = new Coalescer(
      async (items: number[]) => {
        if (items.includes(13)) throw poison;
        isWritten.push(...items);
        return items.map((item) => item * 10);
      },
      { itemsMax: 100, isPoison: (error) => error === poison },
    );
    const results = await Promise.allSettled([11, 12, 13, 14, 15].map((item) => coalescer.add(item)));
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason))).toEqual([
      110,
      120,
      poison,
      140,
      150,
    ]);
    expect(isWritten).toEqual([11, 12, 14, 15]);
  });

  test('an outage is told to everybody of the write at once, without trying each alone', async () => {
    const outage = new Error('outage');
    const { batches, fail, flush } = heldFlush();
    const coalescer = new Coalescer(flush, { itemsMax: 100, isPoison: (error) => error !== outage });
    const results = [1, 2, 3].map((item) => coalescer.add(item));
    await turns();
    fail[0]?.(outage);
    for (const result of results) await expect(result).rejects.toBe(outage);
    expect(batches).toHaveLength(1);
  });

  test('a write that answers for another number of items than it was given is an error, not a wrong answer', async () => {
    const coalescer = new Coalescer(async () => [1], { itemsMax: 10 });
    const results = [coalescer.add(1), coalescer.add(2)];
    for (const result of results) await expect(result).rejects.toThrow('a flush of 2 gave 1 results');
  });
});

describe('waiting has a bound', () => {
  test('an item beyond the bound on waiting ones is refused at once and never written', async () => {
    const { batches, release, flush } = heldFlush();
    const coalescer = new Coalescer(flush, { itemsMax: 10, pendingMax: 2 });
    const first = coalescer.add(1);
    await turns();
    const waiting = [2, 3].map((item) => coalescer.add(item));
    await expect(coalescer.add(4)).rejects.toBeInstanceOf(Overloaded);
    release[0]?.();
    await until('the second write', () => batches.length === 2);
    release[1]?.();
    await Promise.all([first, ...waiting]);
    expect(batches.flat()).toEqual([1, 2, 3]);
  });

  test('an item that has waited too long is refused and never written; the one under way is not', async () => {
    const { batches, release, flush } = heldFlush();
    const coalescer = new Coalescer(flush, { itemsMax: 10, waitMaxMs: 50 });
    const first = coalescer.add(1);
    await turns();
    await expect(coalescer.add(2)).rejects.toBeInstanceOf(Overloaded);
    expect(coalescer.pending).toBe(0);
    release[0]?.();
    expect(await first).toBe(1);
    await coalescer.drain();
    expect(batches).toEqual([[1]]);
  });

  test('draining ends when everything has its answer, refused items included', async () => {
    const { release, fail, flush } = heldFlush();
    const coalescer = new Coalescer(flush, { itemsMax: 1 });
    await coalescer.drain();
    const results = [1, 2].map((item) => coalescer.add(item));
    let isDrained = false;
    const drained = coalescer.drain().then(() => {
      isDrained = true;
    });
    await turns();
    release[0]?.();
    await until('the second write', () => fail.length === 2);
    expect(isDrained).toBe(false);
    const settled = Promise.allSettled(results);
    fail[1]?.(new Error('refused'));
    await drained;
    expect(coalescer.isIdle).toBe(true);
    expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });
});
