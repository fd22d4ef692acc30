import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogLevel } from '#config';
import { errorLine } from './error-line.js';

export type { Logger } from 'pino';

/**
 * JSON lines on standard output. Message texts and numbers of recipients are never logged; the paths below are the second
 * wall, should a field of that name ever be passed.
 */
export function createLogger(
  process: string,
  level: LogLevel,
  destination: DestinationStream = pino.destination(1),
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
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    destination,
  );
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
