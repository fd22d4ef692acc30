import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const RUN_TASK = join(process.cwd(), 'dist/tools/harness/run-task.js');
/** A send that nobody awaits fails while the task waits for something else. */
const PROGRAM = `
  const { runTask } = await import(${JSON.stringify(RUN_TASK)});
  await runTask('npm run task', 20_000, async (signal, say) => {
    try {
      setTimeout(() => Promise.reject(new Error('a send was not accepted')), 50);
      await new Promise((_, fail) => signal.addEventListener('abort', () => fail(signal.reason)));
    } finally {
      await new Promise((wake) => setTimeout(wake, 50));
      say('everything is stopped');
    }
    return true;
  });`;

test('a failure that nobody awaits ends the run in order: what was started is stopped, and the reason is told', async () => {
  const { NODE_OPTIONS: _ofJest, ...env } = process.env;
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', PROGRAM], { env });
  await expect(run).rejects.toMatchObject({
    code: 1,
    stderr: 'everything is stopped\nnpm run task: a send was not accepted\n',
  });
});
