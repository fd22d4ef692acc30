import { describe, expect, test } from '@jest/globals';
import { ConcurrencyLimit, Overloaded } from '#batching';

/** Work that lasts until it is told to end. */
function heldWork() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () =>
    new Promise<string>((resolve) => {
      begun.push(name);
      ends.set(name, () => resolve(name));
    });
  return { begun, work, end: (name: string) => ends.get(name)?.() };
}

describe('a concurrency limit', () => {
  test('lets so much work run at once, the rest in the order of its arrival, and refuses what is too much', async () => {
    const { begun, work, end } = heldWork();
    const limit = new ConcurrencyLimit({ atOnceMax: 1, waitingMax: 2, retryAfterSeconds: 7 });
    const runs = ['first', 'second', 'third'].map((name) => limit.run(work(name)));
    await expect(limit.run(work('fourth'))).rejects.toMatchObject({ retryAfterSeconds: 7 });
    expect(begun).toEqual(['first']);
    for (const [index, name] of ['first', 'second', 'third'].entries()) {
      end(name);
      expect(await runs[index]).toBe(name);
    }
    expect(begun).toEqual(['first', 'second', 'third']);
  });

  test('refuses work whose turn has not come in time, and a failure hands the place on', async () => {
    const { begun, work, end } = heldWork();
    const limit = new ConcurrencyLimit({ atOnceMax: 1, waitingMax: 9, waitMaxMs: 5, retryAfterSeconds: 1 });
    const first = limit.run(work('first'));
    await expect(limit.run(work('second'))).rejects.toThrow(Overloaded);
    end('first');
    await first;
    await expect(limit.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const third = limit.run(work('third'));
    expect(begun).toEqual(['first', 'third']);
    end('third');
    expect(await third).toBe('third');
  });
});
