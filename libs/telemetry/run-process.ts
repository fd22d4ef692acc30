import { type Config, InstallationError, loadProcessConfig, VERSION } from '#config';
import { messageWithoutValues } from './error-line.js';
import { LineLimit } from './line-limit.js';
import { createLogger, type Logger } from './logger.js';

/** Lines a second about rejections that no caller handles: a driver whose server is away makes one for each command. */
const REJECTIONS_PER_SECOND = 10;

/**
 * The life of a process: settings, start, SIGTERM, SIGINT or SIGHUP, an orderly end with exit code 0. A fault at the
 * start is one line for the operator and exit code 1. An orderly end that takes longer than SHUTDOWN_GRACE_MS is cut
 * short.
 *
 * @param start starts the process and returns the function that stops it
 */
export async function runProcess(
  name: string,
  start: (config: Config, log: Logger) => Promise<() => Promise<void>>,
): Promise<void> {
  let config: Config;
  try {
    config = loadProcessConfig();
  } catch (error) {
    fail(createLogger(name, 'info'), error);
    return;
  }
  const log = createLogger(name, config.LOG_LEVEL);
  log.info({ version: VERSION, node: process.version }, `heliograph ${name} ${VERSION} starts`);
  // The handlers come before the first step of the start, so that a signal during the start is an orderly end as well.
  const started = Promise.resolve().then(() => start(config, log));
  let isStopping = false;
  const end = (signal: string) => {
    if (isStopping) return;
    isStopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => {
      log.error({ graceMs: config.SHUTDOWN_GRACE_MS }, 'did not stop in time');
      process.exit(1);
    }, config.SHUTDOWN_GRACE_MS).unref();
    started
      .then((stop) => stop())
      .then(
        () => process.exit(0),
        (error: unknown) => fail(log, error),
      );
  };
  // A second one, which would end it at once, adds nothing: SHUTDOWN_GRACE_MS bounds the end. A second Ctrl-C does.
  process.on('SIGTERM', () => end('SIGTERM'));
  process.once('SIGINT', () => end('SIGINT'));
  // A gateway with a certificate reads it anew. Node would end all others at once, in the middle of what they do.
  process.on('SIGHUP', () => {
    if (process.listenerCount('SIGHUP') === 1) end('SIGHUP');
  });
  // When their server goes away, drivers reject commands that no caller awaits. The truth is in the database, so go on.
  const rejections = new LineLimit(REJECTIONS_PER_SECOND, (leftOut) =>
    log.error({ leftOut }, 'further faults that nobody waited for'),
  );
  process.on('unhandledRejection', (error) => {
    if (rejections.admits()) log.error({ err: error }, 'a fault that nobody waited for');
  });
  // Node itself would print every field of the error, those of a database error with the values of its row.
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'a fault that nobody caught');
    process.exit(1);
  });
  // LOG_LEVEL=silent leaves out what a running process has to say, not why none runs.
  const lastWords = config.LOG_LEVEL === 'silent' ? createLogger(name, 'fatal') : log;
  await started.catch((error: unknown) => fail(lastWords, error));
}

function fail(log: Logger, error: unknown): void {
  log.fatal(error instanceof InstallationError ? {} : { err: error }, oneLine(error));
  process.exit(1);
}

/** The part of an error that an operator can act on. */
function oneLine(error: unknown): string {
  return (error instanceof Error ? messageWithoutValues(error) : String(error)).replaceAll(/\s+/g, ' ');
}
