import { connect, type Socket } from 'node:net';
import { percentiles } from '../statistics.js';
import type { LoadResult, SubmitJob } from './job.js';
import { messageOf } from './requests.js';

/** How long answers and receipts may take that were still under way when the load ended. */
const DRAIN_TIMEOUT_MS = 15_000;
const VARIANTS = 1_000;
const HEADER_OCTETS = 16;
/** Commands of SMPP 3.4, 5.1.2.1; a response has the top bit set. */
const SUBMIT = 0x04;
const SUBMIT_RESPONSE = 0x8000_0004;
const DELIVER = 0x05;
const DELIVER_RESPONSE = 0x8000_0005;
const BIND_TRANSCEIVER = 0x09;
const BIND_RESPONSE = 0x8000_0009;

/**
 * Closed load on the wire of the carrier simulator, without a gateway in between: every bind keeps a window of submit_sm
 * unanswered and acknowledges each receipt at once. It shows how far the simulator is from being what is measured.
 */
export class SubmitRun {
  private readonly templates = Array.from({ length: VARIANTS }, (_, index) => submitTemplate(index));
  private readonly binds: Bind[] = [];
  private readonly latenciesMs: number[] = [];
  private readonly unexpected: Record<string, number> = {};
  private answeredInAll = 0;
  private receiptsInAll = 0;
  private receipts = 0;
  private next = 0;
  private isCounting = false;
  private isStopping = false;

  constructor(private readonly job: SubmitJob) {}

  async run(): Promise<LoadResult> {
    for (let index = 0; index < this.job.binds; index++) this.binds.push(await this.bind());
    for (const bind of this.binds) bind.fill(this.job.window);
    await elapsed(this.job.warmupMs);
    const startedAt = performance.now();
    this.isCounting = true;
    await elapsed(this.job.windowMs);
    this.isCounting = false;
    const windowMs = performance.now() - startedAt;
    await this.finish();
    return {
      windowMs,
      answered: this.latenciesMs.length,
      answeredInAll: this.answeredInAll,
      receipts: this.receipts,
      unexpected: this.unexpected,
      ...percentiles(this.latenciesMs),
    };
  }

  /** The template of the next submit_sm, or nothing when the load is over. */
  takeTemplate(): Buffer | undefined {
    return this.isStopping ? undefined : this.templates[this.next++ % VARIANTS];
  }

  answered(status: number, latencyMs: number): void {
    if (status !== 0) {
      this.count(`command_status ${status}`);
      return;
    }
    this.answeredInAll++;
    if (this.isCounting) this.latenciesMs.push(latencyMs);
  }

  received(): void {
    this.receiptsInAll++;
    if (this.isCounting) this.receipts++;
  }

  count(name: string, times = 1): void {
    this.unexpected[name] = (this.unexpected[name] ?? 0) + times;
  }

  private bind(): Promise<Bind> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port: this.job.port, host: '127.0.0.1', noDelay: true });
      const bind = new Bind(socket, this, () => resolve(bind));
      socket.on('error', reject);
      socket.on('close', () => {
        if (!this.isStopping) this.count('bind lost');
      });
    });
  }

  private async finish(): Promise<void> {
    this.isStopping = true;
    const deadline = performance.now() + DRAIN_TIMEOUT_MS;
    const missing = () => this.binds.reduce((sum, bind) => sum + bind.unanswered, 0);
    const isOver = () => missing() === 0 && this.receiptsInAll >= this.answeredInAll;
    while (!isOver() && performance.now() < deadline) await elapsed(20);
    if (missing() > 0) this.count('no response', missing());
    if (this.receiptsInAll < this.answeredInAll) this.count('no receipt', this.answeredInAll - this.receiptsInAll);
    for (const bind of this.binds) bind.close();
  }
}

/** One transceiver. What one chunk leads to goes out in one write. */
class Bind {
  unanswered = 0;
  private held: Buffer = Buffer.alloc(0);
  private lastSequence = 1;
  private out: Buffer[] = [];
  private readonly sentAtMs = new Map<number, number>();

  constructor(
    private readonly socket: Socket,
    private readonly run: SubmitRun,
    private readonly onBound: () => void,
  ) {
    socket.on('data', (chunk: Buffer) => this.read(chunk));
    socket.write(pdu(BIND_TRANSCEIVER, 1, Buffer.from('bench\0bench\0\0\x34\0\0\0', 'latin1')));
  }

  fill(window: number): void {
    for (let index = 0; index < window; index++) this.submit();
    this.flush();
  }

  close(): void {
    this.socket.destroy();
  }

  private read(chunk: Buffer): void {
    const data = this.held.length === 0 ? chunk : Buffer.concat([this.held, chunk]);
    let offset = 0;
    while (data.length - offset >= HEADER_OCTETS) {
      const length = data.readUInt32BE(offset);
      if (data.length - offset < length) break;
      this.take(data.readUInt32BE(offset + 4), data.readUInt32BE(offset + 8), data.readUInt32BE(offset + 12));
      offset += length;
    }
    this.held = offset === data.length ? EMPTY : data.subarray(offset);
    this.flush();
  }

  private take(command: number, status: number, sequence: number): void {
    if (command === SUBMIT_RESPONSE) {
      const sentAtMs = this.sentAtMs.get(sequence);
      if (sentAtMs === undefined) return;
      this.sentAtMs.delete(sequence);
      this.unanswered--;
      this.run.answered(status, performance.now() - sentAtMs);
      this.submit();
    } else if (command === DELIVER) {
      this.out.push(pdu(DELIVER_RESPONSE, sequence, EMPTY_MESSAGE_ID));
      this.run.received();
    } else if (command === BIND_RESPONSE) {
      this.onBound();
    }
  }

  private submit(): void {
    const template = this.run.takeTemplate();
    if (template === undefined) return;
    const copy = Buffer.from(template);
    const sequence = ++this.lastSequence;
    copy.writeUInt32BE(sequence, 12);
    this.sentAtMs.set(sequence, performance.now());
    this.unanswered++;
    this.out.push(copy);
  }

  private flush(): void {
    if (this.out.length === 0) return;
    this.socket.write(Buffer.concat(this.out));
    this.out = [];
  }
}

const EMPTY = Buffer.alloc(0);
const EMPTY_MESSAGE_ID = Buffer.alloc(1);

/** The same recipients and texts as over HTTP, in GSM 03.38 with a receipt asked for (SMPP 3.4, 4.4.1). */
function submitTemplate(index: number): Buffer {
  const { recipient, message } = messageOf(index);
  const body = Buffer.from(
    `\0\x05\x00Bench\0\x01\x01${recipient.slice(1)}\0\x00\x00\x00\0\0\x01\x00\x00\x00` +
      `${String.fromCharCode(message.length)}${message}`,
    'latin1',
  );
  return pdu(SUBMIT, 0, body);
}

function pdu(command: number, sequence: number, body: Buffer): Buffer {
  const whole = Buffer.allocUnsafe(HEADER_OCTETS + body.length);
  whole.writeUInt32BE(whole.length, 0);
  whole.writeUInt32BE(command, 4);
  whole.writeUInt32BE(0, 8);
  whole.writeUInt32BE(sequence, 12);
  body.copy(whole, HEADER_OCTETS);
  return whole;
}

function elapsed(ms: number): Promise<void> {
  return new Promise((wake) => setTimeout(wake, ms));
}
