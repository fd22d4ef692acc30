import { connect, type Socket } from 'node:net';

/** A PDU as the tests read it, by code of their own. */
export interface Pdu {
  readonly command: number;
  readonly status: number;
  readonly sequence: number;
  readonly body: Buffer;
}

export const COMMAND = {
  bindReceiver: 1,
  bindTransmitter: 2,
  submit: 4,
  deliver: 5,
  unbind: 6,
  bindTransceiver: 9,
  enquireLink: 0x15,
  nack: 0x8000_0000,
} as const;
export const RESPONSE = 0x8000_0000;

export interface SubmitFields {
  readonly source?: string;
  readonly sourceTon?: number;
  readonly destination?: string;
  readonly esmClass?: number;
  readonly registeredDelivery?: number;
  readonly dataCoding?: number;
  readonly validityPeriod?: string;
  readonly userData?: Buffer;
  readonly tlvs?: readonly (readonly [tag: number, value: Buffer])[];
}

const WAIT_MS = 8_000;

/** A bare SMPP client: it sends what it is told and keeps what comes. */
export class RawClient {
  readonly received: Pdu[] = [];
  /** command_status of the answer to every deliver_sm; undefined: no answer. */
  acknowledgement: number | undefined = 0;
  isClosed = false;
  private sequence = 0;
  private held = Buffer.alloc(0);
  private readonly watchers = new Set<() => void>();

  private constructor(private readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => this.read(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.isClosed = true;
      this.wake();
    });
  }

  static connect(port: number): Promise<RawClient> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      const client = new RawClient(socket);
      socket.once('connect', () => resolve(client));
      socket.once('error', reject);
    });
  }

  static async bound(port: number, command: number = COMMAND.bindTransceiver, systemId = 'test'): Promise<RawClient> {
    const client = await RawClient.connect(port);
    const answer = await client.bind(command, systemId);
    if (answer.status !== 0) throw new Error(`bind refused: ${answer.status}`);
    return client;
  }

  bind(command: number = COMMAND.bindTransceiver, systemId = 'test', password = 'secret'): Promise<Pdu> {
    return this.request(command, bindBody(systemId, password));
  }

  submit(fields: SubmitFields = {}): Promise<Pdu> {
    return this.request(COMMAND.submit, submitBody(fields));
  }

  /** Sends a request; does not wait. @returns its sequence number */
  post(command: number, body: Buffer = Buffer.alloc(0)): number {
    const sequence = ++this.sequence;
    this.socket.write(pdu(command, sequence, body));
    return sequence;
  }

  request(command: number, body?: Buffer): Promise<Pdu> {
    const sequence = this.post(command, body);
    return this.response(sequence);
  }

  /** The answer to a request: its response, or a generic_nack. */
  response(sequence: number): Promise<Pdu> {
    return this.find((found) => found.command >= RESPONSE && found.sequence === sequence);
  }

  write(octets: Buffer): void {
    this.socket.write(octets);
  }

  get deliveries(): Pdu[] {
    return this.received.filter(({ command }) => command === COMMAND.deliver);
  }

  async find(wanted: (pdu: Pdu) => boolean): Promise<Pdu> {
    await this.until(() => this.received.some(wanted));
    const found = this.received.find(wanted);
    if (found === undefined) throw new Error('unreachable');
    return found;
  }

  /** Waits for a fact about what was received; fails when the connection closes first, unless that is the fact. */
  until(fact: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (error?: Error) => {
        clearTimeout(timer);
        this.watchers.delete(check);
        if (error === undefined) resolve();
        else reject(error);
      };
      const check = () => {
        if (fact()) settle();
        else if (this.isClosed) settle(new Error(`connection closed before: ${fact.toString()}`));
      };
      const timer = setTimeout(() => settle(new Error(`not within ${WAIT_MS} ms: ${fact.toString()}`)), WAIT_MS);
      this.watchers.add(check);
      check();
    });
  }

  stopReading(): void {
    this.socket.pause();
  }

  close(): void {
    this.socket.destroy();
  }

  private read(chunk: Buffer): void {
    this.held = Buffer.concat([this.held, chunk]);
    while (this.held.length >= 16 && this.held.length >= this.held.readUInt32BE(0)) {
      const length = this.held.readUInt32BE(0);
      const one = this.held.subarray(0, length);
      this.held = this.held.subarray(length);
      const found = {
        command: one.readUInt32BE(4),
        status: one.readUInt32BE(8),
        sequence: one.readUInt32BE(12),
        body: Buffer.from(one.subarray(16)),
      };
      this.received.push(found);
      if (found.command === COMMAND.deliver && this.acknowledgement !== undefined) {
        this.socket.write(pdu(COMMAND.deliver + RESPONSE, found.sequence, Buffer.alloc(1), this.acknowledgement));
      }
    }
    this.wake();
  }

  private wake(): void {
    for (const check of this.watchers) check();
  }
}

export function pdu(command: number, sequence: number, body: Buffer = Buffer.alloc(0), status = 0): Buffer {
  const header = Buffer.alloc(16);
  for (const [index, value] of [16 + body.length, command, status, sequence].entries()) {
    header.writeUInt32BE(value, index * 4);
  }
  return Buffer.concat([header, body]);
}

export function cString(value: string): Buffer {
  return Buffer.from(`${value}\0`, 'latin1');
}

export function bindBody(systemId: string, password: string): Buffer {
  return Buffer.concat([cString(systemId), cString(password), cString(''), Buffer.from([0x34, 0, 0]), cString('')]);
}

export function submitBody(fields: SubmitFields = {}): Buffer {
  const userData = fields.userData ?? Buffer.from('hello');
  return Buffer.concat([
    cString(''),
    Buffer.from([fields.sourceTon ?? 5, 0]),
    cString(fields.source ?? 'Heliograph'),
    Buffer.from([1, 1]),
    cString(fields.destination ?? '447700900123'),
    Buffer.from([fields.esmClass ?? 0, 0, 0]),
    cString(''),
    cString(fields.validityPeriod ?? ''),
    Buffer.from([fields.registeredDelivery ?? 1, 0, fields.dataCoding ?? 0, 0, userData.length]),
    userData,
    ...(fields.tlvs ?? []).map(([tag, value]) => tlv(tag, value)),
  ]);
}

export function tlv(tag: number, value: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(tag, 0);
  head.writeUInt16BE(value.length, 2);
  return Buffer.concat([head, value]);
}

export function uint16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff]);
}

export function messageIdOf(response: Pdu): string {
  return response.body.toString('latin1', 0, Math.max(0, response.body.length - 1));
}
