import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { SharedReads } from '../../apps/gateway/account/shared-reads.js';
import { fuzz } from '../support/fuzz.js';

/** A value that changes, and queries that see it as it is when they begin. */
class Watched {
  value = 0;
  running = 0;
  runningMax = 0;
  queries = 0;

  async query(scheduler: fc.Scheduler): Promise<number> {
    this.queries += 1;
    this.running += 1;
    this.runningMax = Math.max(this.runningMax, this.running);
    const seen = this.value;
    await scheduler.schedule(Promise.resolve(), 'query');
    this.running -= 1;
    return seen;
  }
}

test('a read sees everything that was committed before it came, and equal reads never query side by side', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.constantFrom('read', 'write', 'step'), { maxLength: 60 }),
      async (scheduler, steps) => {
        const reads = new SharedReads();
        const watched = new Watched();
        const answers: Promise<void>[] = [];
        for (const step of steps) {
          if (step === 'write') watched.value += 1;
          else if (step === 'step') await scheduler.waitIdle();
          else {
            const committed = watched.value;
            const answer = reads.read('key', () => watched.query(scheduler));
            answers.push(answer.then((seen) => expect(seen).toBeGreaterThanOrEqual(committed)));
          }
        }
        await scheduler.waitIdle();
        await Promise.all(answers);
        expect(watched.runningMax).toBeLessThanOrEqual(1);
        expect(watched.queries).toBeLessThanOrEqual(answers.length);
      },
    ),
    fuzz(100),
  );
});

test('reads that come while a query runs share the next one, and others do not wait for them', async () => {
  const reads = new SharedReads();
  let finish: (value: string) => void = () => undefined;
  let queries = 0;
  const slow = () => {
    queries += 1;
    return new Promise<string>((resolve) => {
      finish = resolve;
    });
  };
  const first = reads.read('a', slow);
  const second = reads.read('a', slow);
  const third = reads.read('a', slow);
  expect(await reads.read('b', async () => 'other')).toBe('other');
  finish('one');
  expect(await first).toBe('one');
  await Promise.resolve();
  finish('two');
  expect([await second, await third, queries]).toEqual(['two', 'two', 2]);
});

test('a query that fails fails only those who asked for it', async () => {
  const reads = new SharedReads();
  const first = reads.read('a', () => Promise.reject(new Error('away')));
  const second = reads.read('a', async () => 'back');
  await expect(first).rejects.toThrow('away');
  expect(await second).toBe('back');
  expect(await reads.read('a', async () => 'again')).toBe('again');
});
