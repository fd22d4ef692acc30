import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Coalescer, type CoalescerLimits, Overloaded, SET_ASIDE } from '#batching';
import { FUZZ_TIMEOUT_MS, fuzz } from '../support/fuzz.js';
import { turns } from '../support/turns.js';
import { until } from '../support/until.js';

interface Item {
  readonly key: string;
  readonly index: number;
  readonly weight: number;
}

const POISON = new Error('poison');
const LIMITS = {
  itemsMax: 10,
  weightMax: 20,
  weigh: ({ weight }: Item) => weight,
  sharedWeightMax: 5,
  asideMax: 1,
  waitMaxMs: 60_000,
  isPoison: (error: unknown) => error === POISON,
  startsBeforeTelling: true,
};

/** A write that a spec ends by hand: all of it is written, but what is named to be set aside. */
function heldWrites(limits: Partial<CoalescerLimits<Item>> = {}) {
  const writes: { names: string[]; release: (...aside: string[]) => void }[] = [];
  const coalescer = new Coalescer<Item, string>(
    (items) =>
      new Promise((resolve) => {
        writes.push({
          names: items.map(nameOf),
          release: (...aside) => resolve(items.map((item) => (aside.includes(item.key) ? SET_ASIDE : nameOf(item)))),
        });
      }),
    { ...LIMITS, ...limits },
  );
  let index = 0;
  const add = (key: string, weight = 1) => {
    const item = { key, weight, index: index++ };
    return coalescer.add(item, key);
  };
  return { writes, coalescer, add };
}

const nameOf = ({ key, index }: Item) => `${key}${index}`;

describe('what arrives together is written together', () => {
  test('items of many keys share a write, and those that come meanwhile share the next one', async () => {
    const { writes, add } = heldWrites();
    const first = [add('a'), add('b')];
    await turns();
    const second = [add('a'), add('c'), add('b')];
    await turns();
    expect(writes.map(({ names }) => names)).toEqual([['a0', 'b1']]);
    writes[0]?.release();
    await turns();
    expect(writes[1]?.names.sort()).toEqual(['a2', 'b4', 'c3']);
    writes[1]?.release();
    expect(await Promise.all([...first, ...second])).toEqual(['a0', 'b1', 'a2', 'c3', 'b4']);
  });

  test('the next write is under way when the results of the one before are told', async () => {
    const { writes, add } = heldWrites();
    const writesWhenTold = add('a').then(() => writes.length);
    await turns();
    const next = add('a');
    writes[0]?.release();
    expect(await writesWhenTold).toBe(2);
    writes[1]?.release();
    expect(await next).toBe('a1');
  });

  test('whoever waits for the end goes on after the last result was told', async () => {
    const { writes, coalescer, add } = heldWrites();
    const told: string[] = [];
    void add('a').then((name) => told.push(name));
    await turns();
    writes[0]?.release();
    await coalescer.drain();
    expect(told).toEqual(['a0']);
  });

  test('a key with many items delays another one by no more than the write that is under way', async () => {
    const { writes, add } = heldWrites();
    const hot = Array.from({ length: 35 }, () => add('h'));
    await turns();
    const other = add('o');
    writes[0]?.release();
    await turns();
    expect(writes[1]?.names).toContain('o35');
    writes[1]?.release();
    expect(await other).toBe('o35');
    for (let write = 2; write < 4; write += 1) {
      await until('the next write', () => writes[write] !== undefined);
      writes[write]?.release();
    }
    expect(await Promise.all(hot)).toEqual(hot.map((_, index) => `h${index}`));
  });

  test('a heavy item is written beside the shared writes, and later items of its key wait for it', async () => {
    const { writes, add } = heldWrites();
    const all = [add('a'), add('h', 18), add('h'), add('b')];
    await turns();
    expect(writes.map(({ names }) => names)).toEqual([
      ['a0', 'b3'],
      ['h1', 'h2'],
    ]);
    all.push(add('c'), add('h'));
    writes[0]?.release();
    await turns();
    expect(writes[2]?.names).toEqual(['c4']);
    for (const write of [1, 2]) writes[write]?.release();
    await turns();
    expect(writes[3]?.names).toEqual(['h5']);
    writes[3]?.release();
    await Promise.all(all);
  });
});

describe('a key that could not be served', () => {
  test('is written by itself, in its order, while the others go on without it', async () => {
    const { writes, add } = heldWrites();
    const all = [add('a'), add('held'), add('b'), add('held')];
    await turns();
    all.push(add('held'), add('a'));
    writes[0]?.release('held');
    await turns();
    expect(writes.slice(1).map(({ names }) => names)).toEqual([['a5'], ['held1', 'held3', 'held4']]);
    writes[2]?.release('held');
    writes[1]?.release();
    all.push(add('held'), add('b'));
    await turns();
    expect(writes.slice(3).map(({ names }) => names)).toEqual([['held1', 'held3', 'held4', 'held6'], ['b7']]);
    for (const write of [3, 4]) writes[write]?.release();
    await turns();
    all.push(add('held'), add('a'));
    await turns();
    expect(writes[5]?.names).toEqual(['held8', 'a9']);
    writes[5]?.release();
    expect(await Promise.all(all)).toHaveLength(10);
  });

  test('is refused in the end', async () => {
    const { writes, add, coalescer } = heldWrites({ waitMaxMs: 50 });
    const held = add('held').catch((error: unknown) => error);
    let isOver = false;
    void held.then(() => {
      isOver = true;
    });
    for (let write = 0; !isOver; write += 1) {
      await until('the next write, or the end', () => isOver || writes[write] !== undefined);
      writes[write]?.release('held');
    }
    expect(await held).toBeInstanceOf(Overloaded);
    await coalescer.drain();
    expect(coalescer.isIdle).toBe(true);
  });
});

describe('whatever the interleaving of arrivals, writes, poison and held keys', () => {
  const anItem = fc.record({
    key: fc.constantFrom('a', 'a', 'b', 'c', 'd'),
    weight: fc.constantFrom(1, 1, 1, 2, 5, 6, 30),
    isPoison: fc.constantFrom(false, false, false, false, true),
  });

  test(
    'each item has one answer, its own; a key keeps its order; no write breaks a limit',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.scheduler(),
          fc.array(anItem, { maxLength: 30 }),
          fc.infiniteStream(fc.constantFrom(false, false, true)),
          fc.record({
            itemsMax: fc.integer({ min: 1, max: 6 }),
            startsBeforeTelling: fc.boolean(),
            asideMax: fc.constantFrom(1, 2),
            keysApart: fc.boolean(),
          }),
          async (scheduler, wanted, isHeld, limits) => {
            const items = wanted.map((item, index) => ({ ...item, index }));
            const underWay = new Set<string>();
            const stored: number[] = [];
            type Known = (typeof items)[number];
            const write = async (batch: readonly Known[]) => {
              const keys = new Set(batch.map(({ key }) => key));
              for (const key of keys) expect(underWay.has(key)).toBe(false);
              for (const key of keys) underWay.add(key);
              expect(batch.length).toBeLessThanOrEqual(limits.itemsMax);
              const weight = batch.reduce((sum, item) => sum + item.weight, 0);
              expect(batch.length === 1 || weight <= LIMITS.weightMax).toBe(true);
              expect(keys.size === 1 || batch.every((item) => item.weight <= LIMITS.sharedWeightMax)).toBe(true);
              expect(keys.size === 1 || !limits.keysApart).toBe(true);
              const held = new Set([...keys].filter(() => isHeld.next().value === true));
              await scheduler.schedule(Promise.resolve());
              for (const key of keys) underWay.delete(key);
              const written = batch.filter(({ key }) => !held.has(key));
              if (written.some(({ isPoison }) => isPoison)) throw POISON;
              stored.push(...written.map(({ index }) => index));
              return batch.map(({ key, index }) => (held.has(key) ? SET_ASIDE : index));
            };
            const coalescer = new Coalescer<Known, number>(write, { ...LIMITS, ...limits });
            const answers = new Map<number, string[]>();
            const arrived: number[] = [];
            for (const item of items) {
              void scheduler.schedule(Promise.resolve()).then(() => {
                arrived.push(item.index);
                const told = (kind: string) => answers.set(item.index, [...(answers.get(item.index) ?? []), kind]);
                coalescer.add(item, item.key).then(
                  (index) => told(index === item.index ? 'stored' : `the answer of ${index}`),
                  (error: unknown) => told(error === POISON ? 'poison' : String(error)),
                );
              });
            }
            await turns(1);
            while (scheduler.count() > 0) {
              await scheduler.waitOne();
              await turns(3);
            }
            await coalescer.drain();
            await turns(1);
            for (const item of items) expect(answers.get(item.index)).toEqual([item.isPoison ? 'poison' : 'stored']);
            expect([...stored].sort((a, b) => a - b)).toEqual(
              items.filter(({ isPoison }) => !isPoison).map(({ index }) => index),
            );
            for (const key of ['a', 'b', 'c', 'd']) {
              const ofKey = (indices: readonly number[]) =>
                indices.filter((index) => items[index]?.key === key && !items[index]?.isPoison);
              expect(ofKey(stored)).toEqual(ofKey(arrived));
            }
          },
        ),
        fuzz(200),
      );
    },
    FUZZ_TIMEOUT_MS,
  );
});
