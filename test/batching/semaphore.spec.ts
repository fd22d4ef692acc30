import { describe, expect, test } from '@jest/globals';
import { Semaphore } from '#batching';
import { turns } from '../support/turns.js';

/** Work that a spec ends by hand, and the order in which it began. */
function heldWork() {
  const begun: string[] = [];
  const end = new Map<string, (error?: Error) => void>();
  const work = (name: string) => () =>
    new Promise<string>((resolve, reject) => {
      begun.push(name);
      end.set(name, (error) => (error === undefined ? resolve(name) : reject(error)));
    });
  return { begun, end, work };
}

describe('a semaphore', () => {
  test('lets so many run at once, and the others in the order of their arrival', async () => {
    const { begun, end, work } = heldWork();
    const semaphore = new Semaphore(2);
    const results = ['a', 'b', 'c', 'd'].map((name) => semaphore.run(work(name)));
    await turns();
    expect(begun).toEqual(['a', 'b']);
    end.get('b')?.();
    await turns();
    expect(begun).toEqual(['a', 'b', 'c']);
    for (const name of ['a', 'c']) end.get(name)?.();
    await turns();
    end.get('d')?.();
    expect(await Promise.all(results)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('gives the turn on when work fails, and has it again when nobody waits', async () => {
    const { begun, end, work } = heldWork();
    const semaphore = new Semaphore(1);
    const failing = semaphore.run(work('failing'));
    const next = semaphore.run(work('next'));
    await turns();
    end.get('failing')?.(new Error('broken'));
    await expect(failing).rejects.toThrow('broken');
    await turns();
    expect(begun).toEqual(['failing', 'next']);
    end.get('next')?.();
    await next;
    expect(await semaphore.run(() => Promise.resolve('later'))).toBe('later');
  });
});
