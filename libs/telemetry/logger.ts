import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type LogFn, type Logger, pino } from 'pino';
import type { LogLevel } from '#config';
import { errorLine, messageWithoutValues } from './error-line.js';

export type { Logger } from 'pino';

/** Lines that wait for room on standard output. */
const BYTES_WAITING_MAX = 1_000_000;

/**
 * JSON lines on standard output. Message texts and numbers of recipients are never logged; the paths below are a second
 * protection, if a field of that name is passed by mistake.
 */
export function createLogger(
  process: string,
  level: LogLevel,
  destination: DestinationStream = standardOutput(),
): Logger {
  return pino(
    {
      name: process,
      level,
      redact: {
        paths: ['text', 'recipient', 'destination', 'password', 'apiKey', 'headers', 'body'].flatMap((name) => [
          name,
          `*.${name}`,
        ]),
        censor: '[hidden]',
      },
      serializers: { err: errorLine, error: errorLine },
      hooks: { logMethod: sayWithoutValues },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    destination,
  );
}

/**
 * Writes at once, as Node itself does to a pipe or a file. Otherwise a line of level 60 overtakes the line before it,
 * which may have the reason, and a process that ends at once loses lines. It costs as much as writing later. A full
 * disk must not end the service: lines wait in memory until there is room, and further ones are dropped.
 */
function standardOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: true, maxLength: BYTES_WAITING_MAX });
  output.on('error', () => undefined);
  // Pino flushes after a line of level 60, and that tries until there is room: the process would not end.
  output.flushSync = () => undefined;
  return output;
}

/** If a line has an error and no message, Pino writes the error's message. */
function sayWithoutValues(this: Logger, args: Parameters<LogFn>, method: LogFn): void {
  const [first, second, ...others] = args as unknown[];
  const error = first instanceof Error ? first : (first as { err?: unknown } | undefined)?.err;
  if (error instanceof Error && second === undefined) {
    method.apply(this, [first instanceof Error ? { err: first } : first, messageWithoutValues(error)]);
  } else if (first instanceof Error) method.apply(this, [{ err: first }, second as string, ...others]);
  else method.apply(this, args);
}

/** Lets Nest write to the same log; its chatter at start is for debugging only. */
export function nestLogger(logger: Logger): LoggerService {
  const text = (message: unknown) => (message instanceof Error ? message.message : String(message));
  return {
    log: (message) => logger.debug(text(message)),
    debug: (message) => logger.debug(text(message)),
    verbose: (message) => logger.trace(text(message)),
    warn: (message) => logger.warn(text(message)),
    error: (message, ...details) =>
      logger.error({ err: details.find((detail) => detail instanceof Error) }, text(message)),
    fatal: (message) => logger.fatal(text(message)),
  };
}
