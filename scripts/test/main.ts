import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { SHORT_LIVED_NODE_FLAGS } from '../process/short-lived-node-flags.js';
import { startTestBackends } from './backends.js';

// Services that come and go leave much that is young: room for it saves the collector's time.
const NODE_FLAGS = ['--enable-source-maps', '--max-semi-space-size=32', ...SHORT_LIVED_NODE_FLAGS];

/** Runs the compiled specs with Jest on real servers; further arguments go to Jest. Ends with Jest's exit code. */
async function main(): Promise<number> {
  const backends = await startTestBackends(process.env);
  process.stdout.write(`${backends.description}\n`);
  try {
    const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
    const results = process.env.TEST_RESULTS_FILE;
    const report = results ? ['--json', `--outputFile=${results}`] : [];
    const config = join(process.cwd(), 'jest.config.js');
    const child = spawn(process.execPath, [...NODE_FLAGS, jest, '-c', config, ...report, ...process.argv.slice(2)], {
      env: { ...process.env, TEST_DATABASE_URL: backends.databaseUrl, TEST_REDIS_URL: backends.redisUrl ?? '' },
      // With a report Jest also prints it on stdout; its account for people goes to stderr.
      stdio: ['inherit', results ? 'ignore' : 'inherit', 'inherit'],
      // A process group for Jest, its workers and what specs start: none of them outlives the run.
      detached: true,
    });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => endGroup(child.pid));
    const [code] = await once(child, 'exit');
    endGroup(child.pid);
    return typeof code === 'number' ? code : 1;
  } finally {
    await backends.stop();
  }
}

/** Servers of specs have groups of their own, and end with the process that has started them. */
function endGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}

process.exitCode = await main().catch((error: unknown) => {
  process.stderr.write(`npm test: ${error instanceof Error ? error.message : error}\n`);
  return 1;
});
