import { createLogger, type Logger } from '#telemetry';

export interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** A process's log, kept for a test to read: the same lines that would go to standard output. */
export class LogLines {
  private readonly lines: string[] = [];
  readonly logger: Logger;

  constructor(process: string) {
    this.logger = createLogger(process, 'info', { write: (line) => void this.lines.push(line) });
  }

  /** Everything that was written, as it was written. */
  get text(): string {
    return this.lines.join('');
  }

  /** The lines that say `message`. */
  saying(message: string): LogLine[] {
    return this.lines.map((line) => JSON.parse(line) as LogLine).filter(({ msg }) => msg === message);
  }

  clear(): void {
    this.lines.length = 0;
  }
}
