import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { percentiles } from '../statistics.js';
import type { LoadResult, SubmitJob } from './job.js';
import { DRAIN_TIMEOUT_MS, until } from './load-run.js';
import { type Message, messagesOf } from './requests.js';

const VARIANTS = 1_000;
const HEADER_OCTETS = 16;
/** Commands of SMPP 3.4, 5.1.2.1; a response has the top bit set. */
const SUBMIT = 0x04;
const SUBMIT_RESPONSE = 0x8000_0004;
const DELIVER = 0x05;
const DELIVER_RESPONSE = 0x8000_0005;
const BIND_TRANSCEIVER = 0x09;
const BIND_RESPONSE = 0x8000_0009;
const EMPTY_MESSAGE_ID = Buffer.alloc(1);

/**
 * Closed load on the wire of the carrier simulator, without a gateway in between: a transceiver keeps a window of
 * submit_sm unanswered and acknowledges each receipt at once. It shows how far the simulator is from being what is
 * measured.
 */
export class SubmitRun {
  private readonly socket: Socket;
  private readonly templates = messagesOf(VARIANTS).map(submitTemplate);
  private readonly sentAtMs = new Map<number, number>();
  private readonly latenciesMs: number[] = [];
  private readonly unexpected: Record<string, number> = {};
  private held: Buffer = Buffer.alloc(0);
  /** What one chunk leads to goes out in one write. */
  private out: Buffer[] = [];
  private lastSequence = 1;
  private answeredInAll = 0;
  private receiptsInAll = 0;
  private receipts = 0;
  private isCounting = false;
  private isStopping = false;

  constructor(private readonly job: SubmitJob) {
    this.socket = connect({ port: job.port, host: '127.0.0.1', noDelay: true });
    this.socket.on('data', (chunk: Buffer) => this.read(chunk));
    this.socket.on('close', () => this.isStopping || this.count('bind lost'));
  }

  async run(): Promise<LoadResult> {
    const { window, warmupMs, windowMs } = this.job;
    this.socket.write(pdu(BIND_TRANSCEIVER, 1, Buffer.from('bench\0bench\0\0\x34\0\0\0', 'latin1')));
    await once(this.socket, 'bound');
    for (let index = 0; index < window; index++) this.submit();
    this.flush();
    await delay(warmupMs);
    const startedAt = performance.now();
    this.isCounting = true;
    await delay(windowMs);
    this.isCounting = false;
    const elapsedMs = performance.now() - startedAt;
    await this.finish();
    return {
      windowMs: elapsedMs,
      answered: this.latenciesMs.length,
      answeredInAll: this.answeredInAll,
      receipts: this.receipts,
      unexpected: this.unexpected,
      ...percentiles(this.latenciesMs),
    };
  }

  private async finish(): Promise<void> {
    this.isStopping = true;
    await until(() => this.sentAtMs.size === 0 && this.receiptsInAll >= this.answeredInAll, DRAIN_TIMEOUT_MS);
    if (this.sentAtMs.size > 0) this.count('no response', this.sentAtMs.size);
    if (this.receiptsInAll < this.answeredInAll) this.count('no receipt', this.answeredInAll - this.receiptsInAll);
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
    this.held = data.subarray(offset);
    this.flush();
  }

  private take(command: number, status: number, sequence: number): void {
    if (command === SUBMIT_RESPONSE) {
      const sentAtMs = this.sentAtMs.get(sequence);
      if (sentAtMs === undefined) return;
      this.sentAtMs.delete(sequence);
      if (status === 0) this.answeredInAll++;
      else this.count(`command_status ${status}`);
      if (status === 0 && this.isCounting) this.latenciesMs.push(performance.now() - sentAtMs);
      if (!this.isStopping) this.submit();
    } else if (command === DELIVER) {
      this.out.push(pdu(DELIVER_RESPONSE, sequence, EMPTY_MESSAGE_ID));
      this.receiptsInAll++;
      if (this.isCounting) this.receipts++;
    } else if (command === BIND_RESPONSE) {
      this.socket.emit('bound');
    }
  }

  private submit(): void {
    const sequence = ++this.lastSequence;
    const copy = Buffer.from(this.templates[sequence % VARIANTS] ?? []);
    copy.writeUInt32BE(sequence, 12);
    this.sentAtMs.set(sequence, performance.now());
    this.out.push(copy);
  }

  private flush(): void {
    if (this.out.length === 0) return;
    this.socket.write(Buffer.concat(this.out));
    this.out = [];
  }

  private count(name: string, times = 1): void {
    this.unexpected[name] = (this.unexpected[name] ?? 0) + times;
  }
}

/** The same recipients and texts as over HTTP, in GSM 03.38 with a receipt asked for (SMPP 3.4, 4.4.1). */
function submitTemplate({ recipient, message }: Message): Buffer {
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
