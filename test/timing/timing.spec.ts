import { describe, expect, test } from '@jest/globals';
import { NoAnswerInTime, PeriodicWork, tryAgain, waitAtMost, withinMs } from '#timing';
import { eventually } from '../support/eventually.js';

const never = () => new Promise<never>(() => undefined);
const failing = (message: string) => Promise.reject(new Error(message));

describe('work with a bound', () => {
  test('gives its result or its failure in time', async () => {
    expect(await withinMs(Promise.resolve(7), 60_000)).toBe(7);
    await expect(withinMs(failing('broken'), 60_000)).rejects.toThrow('broken');
    await waitAtMost(60_000, Promise.resolve());
    await expect(waitAtMost(60_000, failing('broken'))).rejects.toThrow('broken');
  });

  test('is left when it takes longer, and a failure after that ends no process', async () => {
    await expect(withinMs(never(), 1)).rejects.toThrow(NoAnswerInTime);
    let fail: (error: Error) => void = () => undefined;
    const late = new Promise<never>((_, reject) => {
      fail = reject;
    });
    await waitAtMost(1, late);
    fail(new Error('late'));
    await new Promise((resolve) => setImmediate(resolve));
  });
});

describe('work that is tried again', () => {
  const bounds = { giveUpAfterMs: 60_000, waitMs: 1 };

  test('ends with its first success', async () => {
    let tries = 0;
    const work = async () => {
      tries += 1;
      if (tries < 3) throw new Error('away');
      return 'done';
    };
    expect(await tryAgain(work, () => true, bounds)).toBe('done');
    expect(tries).toBe(3);
  });

  test('fails at once with what cannot pass, and with the last failure when the time is over', async () => {
    let tries = 0;
    const work = () => failing(String(++tries));
    await expect(tryAgain(work, () => false, bounds)).rejects.toThrow('1');
    await expect(tryAgain(work, () => true, { ...bounds, giveUpAfterMs: -1 })).rejects.toThrow('2');
  });

  test('waits after each failure', async () => {
    const atMs: number[] = [];
    const work = async () => {
      atMs.push(performance.now());
      if (atMs.length < 4) throw new Error('away');
    };
    await tryAgain(work, () => true, { giveUpAfterMs: 60_000, waitMs: 20 });
    const waits = atMs.slice(1).map((ms, index) => ms - (atMs[index] ?? 0));
    // Timers may fire a millisecond early.
    for (const waitMs of waits) expect(waitMs).toBeGreaterThanOrEqual(18);
  });
});

describe('periodic work', () => {
  test('goes on after failures, which are told, and never runs twice at once', async () => {
    const failures: unknown[] = [];
    let running = 0;
    let most = 0;
    let runs = 0;
    const work = new PeriodicWork(
      1,
      async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setTimeout(resolve, 3));
        running -= 1;
        runs += 1;
        if (runs % 2 === 0) throw new Error(`run ${runs}`);
        return undefined;
      },
      (error) => failures.push(error),
    );
    work.start();
    await eventually(async () => expect(runs).toBeGreaterThan(5));
    await work.stop();
    expect([most, running]).toEqual([1, 0]);
    expect(failures.map(String).slice(0, 2)).toEqual(['Error: run 2', 'Error: run 4']);
  });

  test('rests as long as the work asks for', async () => {
    let runs = 0;
    const work = new PeriodicWork(
      3_600_000,
      async () => {
        runs += 1;
        return runs < 3 ? 0 : undefined;
      },
      () => undefined,
    );
    work.start(0);
    await eventually(async () => expect(runs).toBe(3));
    await work.stop();
  });

  test('has ended when it is stopped, and does not begin again', async () => {
    let begun = 0;
    let ended = 0;
    const work = new PeriodicWork(
      0,
      async () => {
        begun += 1;
        await new Promise((resolve) => setTimeout(resolve, 20));
        ended += 1;
        return undefined;
      },
      () => undefined,
    );
    work.start(0);
    await eventually(async () => expect(begun).toBe(1));
    await work.stop();
    work.start(0);
    await new Promise((resolve) => setImmediate(resolve));
    expect([begun, ended]).toEqual([1, 1]);
  });
});
