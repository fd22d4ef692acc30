import { loadProcessConfig, loadStartOptions, wantsDemo } from '#config';
import { startService } from './start-service.js';
import { failureWords } from './startup-error.js';
import { Teardown } from './teardown.js';

/** npm passes a terminal's Ctrl-C on to its child, which has it already: two signals within this time count as one. */
const SAME_SIGNAL_MS = 1_000;

const teardown = new Teardown();
const abort = new AbortController();
let abortedAt: number | undefined;
let forceStop = (): void => undefined;

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (abortedAt === undefined) {
      abortedAt = Date.now();
      print('\nStopping ... (Ctrl-C again kills what still runs)');
      abort.abort();
    } else if (Date.now() - abortedAt > SAME_SIGNAL_MS) {
      forceStop();
      process.exit(130);
    }
  });
}
// The terminal may be closed before the service ends.
process.stdout.on('error', () => undefined);

try {
  const aborted = new Promise<void>((resolve) => abort.signal.addEventListener('abort', () => resolve()));
  const config = loadProcessConfig();
  const hasDemo = wantsDemo(loadStartOptions(), config);
  const running = await startService(config, hasDemo, teardown, abort.signal, print, (kill) => {
    forceStop = kill;
  });
  print(running);
  await aborted;
} catch (error) {
  if (!abort.signal.aborted) {
    process.exitCode = 1;
    process.stderr.write(`npm start: ${failureWords(error)}\n`);
  }
} finally {
  await teardown.run((error) => print(`while stopping: ${error instanceof Error ? error.message : error}`));
  if (abort.signal.aborted) print('Stopped.');
  process.exit();
}
