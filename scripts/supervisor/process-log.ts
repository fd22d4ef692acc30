import { createWriteStream, existsSync, mkdirSync, renameSync, statSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';

const FILE_BYTES_MAX = 20_000_000;
const REOPEN_AFTER_MS = 60_000;
const WARN = 40;
const LEVELS = new Map([
  [40, 'warn'],
  [50, 'error'],
  [60, 'fatal'],
]);
const LINE_CHARACTERS_MAX = 300;

/**
 * The log of one process: every line goes to `DIR/NAME.log`, which is renamed to `NAME.log.1` when it is full. Warnings
 * and errors also go to the terminal, one short line each. While the file cannot be written, as on a full disk, its
 * lines are lost; it is tried again each minute.
 */
export class ProcessLog {
  readonly file: string;
  /** The last line that was not a log record, such as the message of an uncaught error. */
  lastComplaint: string | undefined;
  private stream: WriteStream;
  private bytes: number;
  private reopenAtMs = 0;

  constructor(
    readonly dir: string,
    private readonly name: string,
    private readonly print: (line: string) => void,
    private readonly reopenAfterMs = REOPEN_AFTER_MS,
  ) {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    this.file = join(dir, `${name}.log`);
    this.bytes = existsSync(this.file) ? statSync(this.file).size : 0;
    this.stream = this.open();
  }

  write(line: string): void {
    if (line === '') return;
    if (this.bytes > FILE_BYTES_MAX) this.rotate();
    else if (this.stream.destroyed && performance.now() >= this.reopenAtMs) this.stream = this.open();
    this.bytes += line.length + 1;
    this.stream.write(`${line}\n`);
    const record = parseRecord(line);
    if (record === undefined) {
      if (/error|cannot|refused|failed/i.test(line)) this.lastComplaint = line.trim().slice(0, LINE_CHARACTERS_MAX);
      return;
    }
    if (record.level < WARN) return;
    if (record.level > WARN) this.lastComplaint = record.text;
    this.print(`${this.name} ${LEVELS.get(record.level) ?? 'error'}: ${record.text}`);
  }

  close(): Promise<void> {
    return new Promise((closed) => this.stream.end(closed));
  }

  private rotate(): void {
    this.stream.end();
    try {
      renameSync(this.file, `${this.file}.1`);
    } catch (error) {
      // Somebody may have removed the file, to make room.
      this.print(`${this.name} cannot rename ${this.file}: ${(error as Error).message}`);
    }
    this.bytes = 0;
    this.stream = this.open();
  }

  private open(): WriteStream {
    const stream = createWriteStream(this.file, { flags: 'a', mode: 0o600 });
    stream.once('error', (error) => {
      this.reopenAtMs = performance.now() + this.reopenAfterMs;
      this.print(`${this.name} cannot write ${this.file}: ${error.message}`);
    });
    return stream;
  }
}

/**
 * A record as pino writes it: the level is a number, the message `msg`, an error `err`. Our own lines about a carrier
 * have its name and the reason beside the message.
 */
function parseRecord(line: string): { level: number; text: string } | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const record = JSON.parse(line) as Record<string, unknown> & { err?: { message?: unknown } };
    if (typeof record.level !== 'number') return undefined;
    const { carrier, msg, reason, err } = record;
    const whose = typeof carrier === 'string' && !String(msg).includes(carrier) ? `carrier ${carrier}` : '';
    const words = [whose, msg, reason, err?.message].filter((part) => typeof part === 'string' && part !== '');
    return {
      level: record.level,
      text: [...new Set(words)].join(': ').replace(/\s+/g, ' ').slice(0, LINE_CHARACTERS_MAX),
    };
  } catch {
    return undefined;
  }
}
