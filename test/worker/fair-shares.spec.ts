import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { accountOf, VirtualDispatch } from './virtual-dispatch.js';

jest.setTimeout(300_000);

let dispatch: VirtualDispatch | undefined;
afterEach(() => dispatch?.close());

function start(slotsPerTick: number, cap?: number): VirtualDispatch {
  dispatch = new VirtualDispatch(slotsPerTick, cap);
  return dispatch;
}

/** mulberry32: the same seed, the same traffic. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const ids = (account: string, count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `${account}/${from + index}`);

/** R. Jain: 1 when all are equal, 1/n when one has everything. */
function jainIndex(shares: readonly number[]): number {
  const sum = shares.reduce((total, share) => total + share, 0);
  const squares = shares.reduce((total, share) => total + share ** 2, 0);
  return sum ** 2 / (shares.length * squares);
}

function countBy(taken: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of taken) counts.set(accountOf(id), (counts.get(accountOf(id)) ?? 0) + 1);
  return counts;
}

describe('the slots of a carrier that is always busy', () => {
  test.each([1, 2])(
    'are shared equally by the backlogged of 1,000 accounts with Zipf traffic, and nobody starves (seed %i)',
    async (seed) => {
      const running = start(50);
      const random = seeded(seed);
      const accounts = Array.from({ length: 1_000 }, (_, rank) => `a${rank + 1}`);
      const weights = accounts.map((_, rank) => 1 / (rank + 1));
      const sum = weights.reduce((total, weight) => total + weight, 0);
      const sent = new Map<string, number>();
      const zipf = () => {
        let left = random() * sum;
        const index = weights.findIndex((weight) => {
          left -= weight;
          return left <= 0;
        });
        return accounts[Math.max(0, index)] ?? 'a1';
      };
      const next = (account: string, count: number) => {
        const from = sent.get(account) ?? 0;
        sent.set(account, from + count);
        return ids(account, count, from);
      };
      const since = new Map<string, number>();
      const arrive = () => {
        // Batches of 20 to 180 messages make six times what the carrier takes; singles from everybody, a tenth of it.
        for (let batch = 0; batch < 3; batch += 1) running.batch(next(zipf(), 20 + Math.floor(random() * 160)));
        for (let single = 0; single < 5; single += 1) {
          const account = accounts[Math.floor(random() * accounts.length)] ?? 'a1';
          for (const id of next(account, 1)) running.single(id);
        }
      };
      const warmUp = 300;
      const ticks = 1_200;
      let takenBefore = 0;
      for (let tick = 0; tick < ticks; tick += 1) {
        arrive();
        await running.tick();
        if (tick === warmUp) takenBefore = running.taken.length;
        if (tick < warmUp) continue;
        for (const account of accounts) {
          if (!running.backlogs.ring.has(account)) since.delete(account);
          else if (!since.has(account)) since.set(account, tick);
        }
      }
      expect(running.faults).toEqual([]);
      expect(running.taken.length).toBeGreaterThan(0.98 * ticks * 50);
      // Who had a backlog all the time could have been given more at any moment.
      const backlogged = [...since].filter(([, tick]) => tick === warmUp).map(([account]) => account);
      const counts = countBy(running.taken.slice(takenBefore));
      const shares = backlogged.map((account) => counts.get(account) ?? 0);
      expect(backlogged.length).toBeGreaterThan(20);
      expect(jainIndex(shares)).toBeGreaterThanOrEqual(0.95);
      expect(Math.min(...shares)).toBeGreaterThan(0);
      // Singles of everybody else went out as they came.
      expect(running.waitingJobs).toBe(0);
    },
  );

  test('a single message overtakes the batches of others, and those of its own account', async () => {
    const running = start(10);
    running.batch(ids('hog', 2_000));
    for (let tick = 0; tick < 20; tick += 1) await running.tick();
    const before = running.taken.length;
    running.single('other/1');
    running.single('hog/single');
    for (let tick = 0; tick < 4; tick += 1) await running.tick();
    expect(running.taken.slice(before, before + 20)).toEqual(expect.arrayContaining(['other/1', 'hog/single']));
  });

  test('an account that pours single messages is in nobody’s way', async () => {
    const running = start(10);
    for (let number = 0; number < 5_000; number += 1) running.single(`hog/${number}`);
    running.batch(ids('third', 2_000));
    for (let tick = 0; tick < 40; tick += 1) await running.tick();
    // Its jobs have left the queue: what waits of it waits in its backlog.
    expect(running.waitingJobs).toBe(0);
    const before = running.taken.length;
    running.single('other/1');
    await running.tick();
    await running.tick();
    expect(running.taken.slice(before)).toContain('other/1');
    for (let tick = 0; tick < 80; tick += 1) await running.tick();
    const counts = countBy(running.taken.slice(before));
    expect(jainIndex([counts.get('hog') ?? 0, counts.get('third') ?? 0])).toBeGreaterThanOrEqual(0.95);
  });

  test('single messages of many accounts do not stop the batches', async () => {
    const running = start(8);
    running.batch(ids('batch', 1_000));
    for (let tick = 0; tick < 100; tick += 1) {
      for (let single = 0; single < 10; single += 1) running.single(`s${single}/${tick}`);
      await running.tick();
    }
    const share = (countBy(running.taken).get('batch') ?? 0) / running.taken.length;
    expect(share).toBeGreaterThan(0.2);
  });

  test('a lone account gets all of it', async () => {
    const running = start(64);
    running.batch(ids('lone', 20_000));
    for (let tick = 0; tick < 200; tick += 1) await running.tick();
    expect(running.taken.length).toBeGreaterThan(0.98 * 200 * 64);
  });
});

describe('a cap on what an account has in flight', () => {
  test('is kept for batches and singles together, and others get what it leaves', async () => {
    const running = start(50, 7);
    running.batch(ids('capped', 2_000));
    for (let number = 0; number < 40; number += 1) running.single(`capped/s${number}`);
    for (let tick = 0; tick < 30; tick += 1) {
      running.single(`other/${tick}`);
      await running.tick();
    }
    expect(running.peak.get('capped')).toBe(7);
    const counts = countBy(running.taken);
    expect(counts.get('other')).toBe(30);
    expect(counts.get('capped')).toBeGreaterThan(100);
  });

  test('is divided among the workers so that the parts add up to it', () => {
    const running = start(1, 10);
    const parts = [0, 1, 2, 3].map((place) => {
      running.inFlight.noteWorkers(4, place);
      return running.inFlight.room('any');
    });
    expect(parts).toEqual([3, 3, 2, 2]);
    running.inFlight.setCaps(new Map([['own', 4]]));
    expect(running.inFlight.room('own')).toBe(1);
  });
});
