import { closeSync, openSync, writeSync } from 'node:fs';

const BUFFERED_LINES_MAX = 1_000;

/**
 * Records as JSON lines. They are written synchronously, before the PDUs of the same tick, so that a client that has an
 * answer finds its record in the file. A full disk ends the process: a log with gaps would prove false things.
 */
export class RecordFile {
  private readonly descriptor: number;
  private lines: string[] = [];
  private isClosed = false;

  /** @throws Error when the file cannot be opened for appending */
  constructor(path: string) {
    this.descriptor = openSync(path, 'a', 0o600);
  }

  append(record: object): void {
    this.lines.push(JSON.stringify(record));
    if (this.lines.length === 1) setImmediate(() => this.flush());
    if (this.lines.length >= BUFFERED_LINES_MAX) this.flush();
  }

  flush(): void {
    if (this.lines.length === 0 || this.isClosed) return;
    const block = Buffer.from(`${this.lines.join('\n')}\n`);
    this.lines = [];
    let written = 0;
    while (written < block.length) written += writeSync(this.descriptor, block, written);
  }

  close(): void {
    if (this.isClosed) return;
    this.flush();
    this.isClosed = true;
    closeSync(this.descriptor);
  }
}
