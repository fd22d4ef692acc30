import { createRequire } from 'node:module';
import { expect, test } from '@jest/globals';
import { loadWithRunningNow, RunningNow } from './running-now.js';

test('what runs now is what was begun last and has not ended, however it ends', async () => {
  const now = new RunningNow<string>();
  expect(now.getStore()).toBeUndefined();
  await now.run('outer', async () => {
    await now.run('inner', async () => {
      await new Promise(setImmediate);
      expect(now.getStore()).toBe('inner');
    });
    expect(now.getStore()).toBe('outer');
    const fails = now.run('failing', () => Promise.reject(new Error('on purpose')));
    await expect(fails).rejects.toThrow('on purpose');
    expect(now.getStore()).toBe('outer');
  });
  expect(now.getStore()).toBeUndefined();
});

test('only the module that is loaded gets it in the place of an AsyncLocalStorage', () => {
  const hooks = createRequire(import.meta.url)('node:async_hooks') as { AsyncLocalStorage: unknown };
  const { AsyncLocalStorage } = hooks;
  expect(loadWithRunningNow(() => hooks.AsyncLocalStorage)).toBe(RunningNow);
  expect(hooks.AsyncLocalStorage).toBe(AsyncLocalStorage);
  const fail = () =>
    loadWithRunningNow(() => {
      throw new Error('on purpose');
    });
  expect(fail).toThrow('on purpose');
  expect(hooks.AsyncLocalStorage).toBe(AsyncLocalStorage);
});
