import { afterEach, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { Coalescer, Overloaded } from '#batching';
import { FUZZ_TIMEOUT_MS, fuzz } from '../support/fuzz.js';
import { turns } from '../support/turns.js';

/**
 * The gathering of writes under every interleaving that the scheduler of fast-check can think of: when items come, when
 * writes end, and how. Clock and timers are virtual where the bounds on time are at stake.
 */
const OUTAGE = new Error('outage');
const POISON = new Error('poison');

interface Item {
  readonly index: number;
  readonly weight: number;
  readonly fault: 'none' | 'poison' | 'outage';
}

const anItem = fc.record({
  weight: fc.integer({ min: 1, max: 6 }),
  fault: fc.oneof(
    { weight: 8, arbitrary: fc.constant('none' as const) },
    { weight: 2, arbitrary: fc.constant('poison' as const) },
    { weight: 1, arbitrary: fc.constant('outage' as const) },
  ),
});
const someItems = fc
  .array(anItem, { maxLength: 24 })
  .map((items): Item[] => items.map((item, index) => ({ ...item, index })));

/** A store that keeps what is written to it atomically, and judges how it is used. */
class WatchedStore {
  /** Indices, in the order in which they were stored. */
  readonly stored: number[] = [];
  /** Each write as it was tried. */
  readonly writes: Item[][] = [];
  underWay = 0;

  constructor(
    private readonly limits: { itemsMax: number; weightMax: number },
    private readonly wait: () => Promise<unknown>,
  ) {}

  async write(batch: readonly Item[]): Promise<number[]> {
    this.underWay += 1;
    this.writes.push([...batch]);
    expect(this.underWay).toBe(1);
    expect(batch.length).toBeGreaterThan(0);
    expect(batch.length).toBeLessThanOrEqual(this.limits.itemsMax);
    const weight = batch.reduce((sum, one) => sum + one.weight, 0);
    expect(batch.length === 1 || weight <= this.limits.weightMax).toBe(true);
    try {
      await this.wait();
      if (batch.some(({ fault }) => fault === 'outage')) throw OUTAGE;
      if (batch.some(({ fault }) => fault === 'poison')) throw POISON;
      this.stored.push(...batch.map(({ index }) => index));
      return batch.map(({ index }) => index);
    } finally {
      this.underWay -= 1;
    }
  }
}

/** Settlements of each item, in order: more than one would be a fault. */
class Answers {
  readonly kinds = new Map<number, string[]>();

  note(item: Item, answer: Promise<number>): void {
    const told = (kind: string) => {
      this.kinds.set(item.index, [...(this.kinds.get(item.index) ?? []), kind]);
    };
    answer.then(
      (index) => told(index === item.index ? 'stored' : `the answer of ${index}`),
      (error: unknown) =>
        told(error instanceof Overloaded ? 'overloaded' : error instanceof Error ? error.message : '?'),
    );
  }
}

describe('whatever the interleaving of arrivals and writes', () => {
  test(
    'each item has one answer, its own; nothing waits while there is room to write; batches keep order and limits',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.scheduler(),
          someItems,
          fc.record({
            itemsMax: fc.integer({ min: 1, max: 5 }),
            weightMax: fc.integer({ min: 1, max: 8 }),
            pendingMax: fc.constantFrom(2, 6, Number.POSITIVE_INFINITY),
          }),
          async (scheduler, items, limits) => {
            const store = new WatchedStore(limits, () => scheduler.schedule(Promise.resolve()));
            const coalescer = new Coalescer((batch: Item[]) => store.write(batch), {
              ...limits,
              weigh: ({ weight }) => weight,
              isPoison: (error) => error === POISON,
            });
            const answers = new Answers();
            const arrived: number[] = [];
            for (const item of items) {
              void scheduler.schedule(Promise.resolve()).then(() => {
                const isFull = coalescer.pending >= limits.pendingMax;
                if (!isFull) arrived.push(item.index);
                const answer = coalescer.add(item);
                answers.note(item, answer);
                expect(coalescer.pending).toBeLessThanOrEqual(limits.pendingMax);
              });
            }
            let isDrained = items.length === 0;
            while (scheduler.count() > 0) {
              await scheduler.waitOne();
              await turns(3);
              // A write that is being repeated in halves counts as under way between two of them as well.
              if (store.underWay === 0) expect(coalescer.pending).toBe(0);
              if (store.underWay === 0 && coalescer.isIdle) isDrained = true;
            }
            await coalescer.drain();
            await turns(1);
            expect(coalescer.isIdle).toBe(true);
            expect(isDrained).toBe(true);

            const stored = new Set(store.stored);
            expect(stored.size).toBe(store.stored.length);
            for (const item of items) {
              const kinds = answers.kinds.get(item.index);
              expect(kinds).toHaveLength(1);
              const [kind] = kinds ?? [];
              if (stored.has(item.index)) expect([kind, item.fault]).toEqual(['stored', 'none']);
              else if (!arrived.includes(item.index)) expect(kind).toBe('overloaded');
              else if (item.fault === 'none') expect(kind).toBe('outage');
              else expect(['poison', 'outage']).toContain(kind);
            }
            expectRunsOf(arrived, store.writes);
            expectSubsequence(store.stored, arrived);
            expectOutagesShared(store.writes, answers);
          },
        ),
        fuzz(150),
      );
    },
    FUZZ_TIMEOUT_MS,
  );
});

/** A batch is a run of neighbours in the order of arrival, so nobody is overtaken. */
function expectRunsOf(arrived: readonly number[], writes: readonly Item[][]): void {
  for (const batch of writes) {
    const from = arrived.indexOf(batch[0]?.index ?? -1);
    expect(batch.map(({ index }) => index)).toEqual(arrived.slice(from, from + batch.length));
  }
}

function expectSubsequence(part: readonly number[], whole: readonly number[]): void {
  const places = part.map((index) => whole.indexOf(index));
  expect(places).toEqual([...places].sort((a, b) => a - b));
}

/** Only a write that an outage hit may answer with it: an item is not failed by the trouble of others. */
function expectOutagesShared(writes: readonly Item[][], answers: Answers): void {
  for (const [index, [kind]] of answers.kinds) {
    const last = writes.filter((batch) => batch.some((one) => one.index === index)).at(-1);
    if (kind === 'outage') expect(last?.some(({ fault }) => fault === 'outage')).toBe(true);
    if (kind === 'poison') expect(last).toHaveLength(1);
  }
}

describe('the bounds on time, by a virtual clock', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  /** Items that come after so many milliseconds, and how long the write takes that takes them. */
  const arrivals = fc.array(fc.record({ afterMs: fc.nat(80), writeMs: fc.nat(400) }), { minLength: 1, maxLength: 20 });

  async function play(
    steps: readonly { afterMs: number; writeMs: number }[],
    limits: { waitMaxMs?: number; gatherMs?: number; gatherMaxMs?: number; itemsMax: number },
  ) {
    jest.useFakeTimers();
    const starts: { atMs: number; batch: number[] }[] = [];
    const addedMs: number[] = [];
    const answers: { kind: 'stored' | 'overloaded'; atMs: number }[] = [];
    const coalescer = new Coalescer<number, number>(async (batch) => {
      starts.push({ atMs: performance.now(), batch });
      const longestMs = Math.max(...batch.map((index) => steps[index]?.writeMs ?? 0));
      await new Promise((resolve) => setTimeout(resolve, longestMs));
      return batch;
    }, limits);
    for (const [index, { afterMs }] of steps.entries()) {
      await jest.advanceTimersByTimeAsync(afterMs);
      addedMs.push(performance.now());
      coalescer.add(index).then(
        () => {
          answers[index] = { kind: 'stored', atMs: performance.now() };
        },
        () => {
          answers[index] = { kind: 'overloaded', atMs: performance.now() };
        },
      );
    }
    await jest.advanceTimersByTimeAsync(steps.length * (600 + (limits.gatherMs ?? 0)));
    expect(coalescer.isIdle).toBe(true);
    expect(answers.filter(Boolean)).toHaveLength(steps.length);
    // Nothing is left behind that would keep a process alive or wake it up.
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
    return { starts, addedMs, answers };
  }

  test(
    'nobody waits longer for a write than told, who is refused was never written, and who is written is answered',
    async () => {
      await fc.assert(
        fc.asyncProperty(arrivals, fc.integer({ min: 1, max: 4 }), async (steps, itemsMax) => {
          const waitMaxMs = 150;
          const { starts, addedMs, answers } = await play(steps, { itemsMax, waitMaxMs });
          const startOf = new Map(starts.flatMap(({ atMs, batch }) => batch.map((index) => [index, atMs] as const)));
          expect(startOf.size).toBe(starts.flatMap(({ batch }) => batch).length);
          for (const [index, addedAtMs] of addedMs.entries()) {
            const { kind, atMs } = answers[index] ?? { kind: 'none', atMs: 0 };
            expect(startOf.has(index)).toBe(kind === 'stored');
            // The bound is kept by looks that are 100 ms apart.
            expect((startOf.get(index) ?? atMs) - addedAtMs).toBeLessThanOrEqual(waitMaxMs + 101);
            if (kind === 'overloaded') expect(atMs - addedAtMs).toBeGreaterThanOrEqual(waitMaxMs - 1);
          }
        }),
        fuzz(100),
      );
    },
    FUZZ_TIMEOUT_MS,
  );

  test(
    'where gathering pays, writes start no sooner after each other than told unless one is full, and none starts late',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          arrivals,
          fc.integer({ min: 1, max: 12 }),
          fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 120 })),
          fc.nat(12),
          async (steps, itemsMax, gatherMs, growsByMs) => {
            const gatherMaxMs = gatherMs + growsByMs;
            const { starts, addedMs, answers } = await play(steps, { itemsMax, gatherMs, gatherMaxMs });
            expect(starts.flatMap(({ batch }) => batch)).toEqual(steps.map((_, index) => index));
            for (const [number, { atMs, batch }] of starts.entries()) {
              const previous = starts[number - 1];
              const freeAtMs = previous === undefined ? 0 : (answers[previous.batch[0] ?? 0]?.atMs ?? 0);
              const tookMs = freeAtMs - (previous?.atMs ?? 0);
              const restMs = Math.max(gatherMs, Math.min(gatherMaxMs, 3 * tookMs));
              if (previous !== undefined && batch.length < itemsMax) {
                expect(atMs - previous.atMs).toBeGreaterThanOrEqual(restMs - 1);
              }
              // It had to wait for its first item, for the write before it, and for the time between two starts.
              const earliestMs = Math.max(addedMs[batch[0] ?? 0] ?? 0, freeAtMs, (previous?.atMs ?? -1e9) + restMs);
              expect(atMs).toBeLessThanOrEqual(earliestMs + 2);
            }
          },
        ),
        fuzz(100),
      );
    },
    FUZZ_TIMEOUT_MS,
  );
});
