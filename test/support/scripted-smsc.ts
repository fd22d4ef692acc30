import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

/**
 * A PDU as the carrier's side saw it. Decoded here by hand, so that no mistake of the adapter's codec can hide in the
 * tests.
 */
export interface SeenPdu {
  readonly command: number;
  readonly status: number;
  readonly sequence: number;
  readonly body: Buffer;
  readonly atMs: number;
  readonly connection: SmscConnection;
}

export interface SeenSubmit extends SeenPdu {
  readonly serviceType: string;
  readonly sender: { readonly ton: number; readonly npi: number; readonly address: string };
  readonly destination: { readonly ton: number; readonly npi: number; readonly address: string };
  readonly esmClass: number;
  readonly priorityFlag: number;
  readonly validityPeriod: string;
  readonly registeredDelivery: number;
  readonly dataCoding: number;
  readonly shortMessage: Buffer;
  readonly tlvs: Buffer;
}

export const ID = {
  genericNack: 0x80000000,
  bindReceiver: 0x01,
  bindTransmitter: 0x02,
  submit: 0x04,
  submitResponse: 0x80000004,
  deliver: 0x05,
  deliverResponse: 0x80000005,
  unbind: 0x06,
  unbindResponse: 0x80000006,
  bindTransceiver: 0x09,
  enquireLink: 0x15,
  enquireLinkResponse: 0x80000015,
  alertNotification: 0x00000102,
  data: 0x00000103,
  dataResponse: 0x80000103,
} as const;

const BINDS: readonly number[] = [ID.bindReceiver, ID.bindTransmitter, ID.bindTransceiver];

/**
 * A stand-in carrier that does exactly what a test says; by default it is a good one that answers everything at once.
 */
export class ScriptedSmsc {
  readonly connections: SmscConnection[] = [];
  readonly seen: SeenPdu[] = [];
  onBind: (pdu: SeenPdu) => void = (pdu) => pdu.connection.respond(pdu, 0, cString('scripted'));
  onSubmit: (submit: SeenSubmit) => void = (submit) => submit.connection.accept(submit, `id${submit.sequence}`);
  onEnquireLink: (pdu: SeenPdu) => void = (pdu) => pdu.connection.respond(pdu);
  onUnbind: (pdu: SeenPdu) => void = (pdu) => pdu.connection.respond(pdu);

  private constructor(private readonly server: Server) {}

  static async listen(tls?: TlsOptions, host = '127.0.0.1', port = 0): Promise<ScriptedSmsc> {
    const accept = (socket: Socket) => smsc.connections.push(new SmscConnection(socket, smsc));
    const server = tls === undefined ? createServer(accept) : createTlsServer(tls, accept);
    const smsc = new ScriptedSmsc(server);
    await new Promise<void>((resolve) => server.listen(port, host, resolve));
    return smsc;
  }

  get port(): number {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('not listening');
    return address.port;
  }

  /** The connection that came last. */
  get connection(): SmscConnection {
    const last = this.connections.at(-1);
    if (last === undefined) throw new Error('nobody has connected');
    return last;
  }

  get submits(): SeenSubmit[] {
    return this.seen.filter((pdu) => pdu.command === ID.submit).map(readSubmit);
  }

  count(command: number): number {
    return this.seen.filter((pdu) => pdu.command === command).length;
  }

  see(pdu: SeenPdu): void {
    this.seen.push(pdu);
    if (BINDS.includes(pdu.command)) this.onBind(pdu);
    else if (pdu.command === ID.submit) this.onSubmit(readSubmit(pdu));
    else if (pdu.command === ID.enquireLink) this.onEnquireLink(pdu);
    else if (pdu.command === ID.unbind) this.onUnbind(pdu);
  }

  async close(): Promise<void> {
    for (const { socket } of this.connections) socket.destroy();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }
}

class SmscConnection {
  isClosed = false;
  private held = Buffer.alloc(0);
  private sequence = 0;

  constructor(
    readonly socket: Socket,
    private readonly smsc: ScriptedSmsc,
  ) {
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.read(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.isClosed = true;
    });
  }

  send(command: number, status: number, sequence: number, body: Buffer = Buffer.alloc(0)): void {
    this.socket.write(pduBytes(command, status, sequence, body));
  }

  respond(pdu: SeenPdu, status = 0, body: Buffer = Buffer.alloc(0)): void {
    this.send(pdu.command + 0x80000000, status, pdu.sequence, body);
  }

  accept(submit: SeenPdu, messageId: string): void {
    this.respond(submit, 0, cString(messageId));
  }

  /** Sends a deliver_sm and returns its sequence number. */
  deliver(body: Buffer): number {
    this.sequence += 1;
    this.send(ID.deliver, 0, this.sequence, body);
    return this.sequence;
  }

  private read(chunk: Buffer): void {
    this.held = Buffer.concat([this.held, chunk]);
    let offset = 0;
    while (this.held.length - offset >= 16) {
      const length = this.held.readUInt32BE(offset);
      if (this.held.length - offset < length) break;
      this.smsc.see({
        command: this.held.readUInt32BE(offset + 4),
        status: this.held.readUInt32BE(offset + 8),
        sequence: this.held.readUInt32BE(offset + 12),
        body: this.held.subarray(offset + 16, offset + length),
        atMs: performance.now(),
        connection: this,
      });
      offset += length;
    }
    this.held = this.held.subarray(offset);
  }
}

export function pduBytes(command: number, status: number, sequence: number, body: Buffer): Buffer {
  const header = Buffer.alloc(16);
  header.writeUInt32BE(16 + body.length, 0);
  header.writeUInt32BE(command, 4);
  header.writeUInt32BE(status, 8);
  header.writeUInt32BE(sequence, 12);
  return Buffer.concat([header, body]);
}

export function cString(text: string): Buffer {
  return Buffer.from(`${text}\0`, 'latin1');
}

export function tlv(tag: number, value: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(tag, 0);
  head.writeUInt16BE(value.length, 2);
  return Buffer.concat([head, value]);
}

export interface DeliverFields {
  /** Type of number: 1 unless it is given, and 5 for the destination. */
  readonly sourceTon?: number;
  readonly destinationTon?: number;
  readonly source?: string;
  readonly destination?: string;
  readonly esmClass?: number;
  readonly dataCoding?: number;
  readonly message?: string | Buffer;
  readonly tlvs?: readonly Buffer[];
}

/** The body of a deliver_sm; a receipt in its text form unless told otherwise. */
export function deliverBody(fields: DeliverFields = {}): Buffer {
  const message =
    typeof fields.message === 'string' ? Buffer.from(fields.message, 'latin1') : (fields.message ?? Buffer.alloc(0));
  return Buffer.concat([
    Buffer.from([0, fields.sourceTon ?? 1, 1]),
    cString(fields.source ?? '46700100200'),
    Buffer.from([fields.destinationTon ?? 5, 0]),
    cString(fields.destination ?? 'Heliograph'),
    Buffer.from([fields.esmClass ?? 0x04, 0, 0, 0, 0, 0, 0, fields.dataCoding ?? 0, 0, message.length]),
    message,
    ...(fields.tlvs ?? []),
  ]);
}

function readSubmit(pdu: SeenPdu): SeenSubmit {
  let at = 0;
  const octet = () => pdu.body.readUInt8(at++);
  const text = () => {
    const end = pdu.body.indexOf(0, at);
    const value = pdu.body.toString('latin1', at, end);
    at = end + 1;
    return value;
  };
  const address = () => ({ ton: octet(), npi: octet(), address: text() });
  const serviceType = text();
  const sender = address();
  const destination = address();
  const esmClass = octet();
  at += 1; // protocol_id
  const priorityFlag = octet();
  text(); // schedule_delivery_time
  const validityPeriod = text();
  const registeredDelivery = octet();
  at += 1; // replace_if_present_flag
  const dataCoding = octet();
  at += 1; // sm_default_msg_id
  const length = octet();
  const shortMessage = pdu.body.subarray(at, at + length);
  const tlvs = pdu.body.subarray(at + length);
  return {
    ...pdu,
    serviceType,
    sender,
    destination,
    esmClass,
    priorityFlag,
    validityPeriod,
    registeredDelivery,
    dataCoding,
    shortMessage,
    tlvs,
  };
}
