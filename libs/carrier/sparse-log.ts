import type { CarrierLog } from './carrier-log.js';

const EVERY_MS = 10_000;

/**
 * For lines that a carrier can cause in any number. Of each kind one line is written at once, and then at most one in
 * ten seconds, with the number of lines that were left out before it.
 */
export class SparseLog implements CarrierLog {
  /** The number of lines left out since the last one of their kind. */
  private readonly leftOut = new Map<string, number>();

  constructor(private readonly log: CarrierLog) {}

  info(fields: object, message: string): void {
    this.write('info', fields, message);
  }

  warn(fields: object, message: string): void {
    this.write('warn', fields, message);
  }

  error(fields: object, message: string): void {
    this.write('error', fields, message);
  }

  private write(level: keyof CarrierLog, fields: object, message: string): void {
    const leftOut = this.leftOut.get(message);
    if (leftOut !== undefined) {
      this.leftOut.set(message, leftOut + 1);
      return;
    }
    this.log[level](fields, message);
    this.wait(level, fields, message);
  }

  private wait(level: keyof CarrierLog, fields: object, message: string): void {
    this.leftOut.set(message, 0);
    setTimeout(() => {
      const leftOut = this.leftOut.get(message) ?? 0;
      this.leftOut.delete(message);
      if (leftOut === 0) return;
      this.log[level]({ ...fields, leftOut }, message);
      this.wait(level, fields, message);
    }, EVERY_MS).unref();
  }
}
