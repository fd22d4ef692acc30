import type { LookupFunction, Socket } from 'node:net';
import { CLOSED, connectionFault, isClosedByPeer } from './connection-fault.js';
import { openSocket } from './open-socket.js';
import { LostFramingError, type Pdu, PduFramer } from './pdu.js';
import type { CompleteSettings } from './settings.js';

/** PDUs that may wait for a carrier that does not read; with more, the connection is closed. */
const QUEUED_PDUS_MAX = 10_000;
const LAST_WRITE_TIMEOUT_MS = 1_000;

/** An outgoing PDU. While `written` is false it has certainly not left this process. */
export interface OutgoingPdu {
  /** Undefined if it must not be written any more. */
  bytes: Buffer | undefined;
  written: boolean;
}

export interface ConnectionEvents {
  connected(): void;
  pdu(pdu: Pdu): void;
  /** All PDUs of one chunk have been handed over. */
  chunkEnd(): void;
  /**
   * The connection has failed. May be called several times; the owner closes the connection at the first.
   *
   * @param how `closed`: the carrier closed it, and nothing else is known; `no-smpp`: what it sent is no PDU
   */
  failed(reason: string, how?: ConnectionEnd): void;
}

export type ConnectionEnd = 'closed' | 'no-smpp';

/**
 * One socket for PDUs. PDUs that are sent within one turn of the event loop go out in one write. A full socket gets no
 * more PDUs, so that as many as possible are known as "never written".
 */
export class Connection {
  private readonly socket: Socket;
  private readonly framer = new PduFramer();
  private queue: OutgoingPdu[] = [];

  constructor(
    settings: CompleteSettings,
    lookup: LookupFunction,
    private readonly events: ConnectionEvents,
  ) {
    const { tls } = settings;
    this.socket = openSocket(settings, lookup);
    this.socket.on(tls ? 'secureConnect' : 'connect', () => events.connected());
    this.socket.on('data', (chunk: Buffer) => this.read(chunk));
    this.socket.on('drain', () => this.flush());
    this.socket.on('error', (error: NodeJS.ErrnoException) =>
      events.failed(connectionFault(error, tls), isClosedByPeer(error) ? 'closed' : undefined),
    );
    this.socket.on('close', () => events.failed(CLOSED, 'closed'));
  }

  /** Queues a PDU for the end of this turn of the event loop. */
  send(pdu: OutgoingPdu): void {
    if (!this.socket.writable) return;
    this.queue.push(pdu);
    if (!this.socket.writableNeedDrain) {
      if (this.queue.length === 1) setImmediate(() => this.flush());
    } else if (this.queue.length > QUEUED_PDUS_MAX) {
      this.events.failed('the carrier does not read');
    }
  }

  /** While it is not to read, the carrier's socket fills. */
  setReading(isReading: boolean): void {
    if (isReading) this.socket.resume();
    else this.socket.pause();
  }

  /** Writes the queued PDUs and closes; the peer has `LAST_WRITE_TIMEOUT_MS` to read them. */
  finish(): void {
    this.flush();
    this.socket.resume();
    this.socket.end();
    const timer = setTimeout(() => this.socket.destroy(), LAST_WRITE_TIMEOUT_MS);
    this.socket.once('close', () => clearTimeout(timer));
  }

  destroy(): void {
    this.socket.destroy();
  }

  private read(chunk: Buffer): void {
    // Any error while reading ends the connection: a session that reads nothing while its socket is open would be
    // worse.
    try {
      this.framer.push(chunk, (pdu) => this.events.pdu(pdu));
    } catch (error) {
      const how = error instanceof LostFramingError ? 'no-smpp' : undefined;
      this.events.failed(error instanceof Error ? error.message : String(error), how);
    }
    this.events.chunkEnd();
  }

  private flush(): void {
    if (!this.socket.writable || this.socket.writableNeedDrain) return;
    const chunks: Buffer[] = [];
    for (const pdu of this.queue) {
      if (pdu.bytes === undefined) continue;
      pdu.written = true;
      chunks.push(pdu.bytes);
    }
    this.queue = [];
    if (chunks.length > 0) this.socket.write(Buffer.concat(chunks));
  }
}
