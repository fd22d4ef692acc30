import { connect as connectTcp, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { CLOSED, connectionFault, isClosedByPeer } from './connection-fault.js';
import { type Pdu, PduFramer } from './pdu.js';
import type { CompleteSettings } from './settings.js';
import { tlsOptions } from './tls.js';

/** PDUs that may wait for a carrier that does not read; past it the connection is given up. */
const QUEUED_PDUS_MAX = 10_000;
const LAST_WRITE_TIMEOUT_MS = 1_000;
/** Of a host with several addresses, this many are tried within the time for connecting. */
const ADDRESSES_TRIED = 4;

/** A PDU on its way out. Until `written` is true it surely never left this process. */
export interface OutgoingPdu {
  /** Undefined once it must not be written any more. */
  bytes: Buffer | undefined;
  written: boolean;
}

export interface ConnectionEvents {
  connected(): void;
  pdu(pdu: Pdu): void;
  /** All PDUs of one chunk have been handed over. */
  chunkEnd(): void;
  /**
   * The connection cannot go on. Called any number of times; the owner destroys it at the first.
   *
   * @param isClosed the carrier closed it, and that is all that is known
   */
  failed(reason: string, isClosed?: boolean): void;
}

/**
 * One socket that carries PDUs. What is sent within one turn of the event loop goes out in one write, and nothing is
 * handed to a socket that is full, so that "never written" stays known for as much as possible.
 */
export class Connection {
  private readonly socket: Socket;
  private readonly framer = new PduFramer();
  private queue: OutgoingPdu[] = [];
  private flushIsDue = false;
  private isFull = false;
  private isDestroyed = false;

  constructor(
    settings: CompleteSettings,
    lookup: LookupFunction,
    private readonly events: ConnectionEvents,
  ) {
    const { host, port, tls, connectTimeoutMs } = settings;
    const endpoint = {
      host,
      port,
      lookup,
      autoSelectFamily: true,
      // Node's own 250 ms is less than a round trip to a far carrier.
      autoSelectFamilyAttemptTimeout: Math.max(10, Math.ceil(connectTimeoutMs / ADDRESSES_TRIED)),
    };
    this.socket = tls ? connectTls({ ...endpoint, ...tlsOptions(settings) }) : connectTcp(endpoint);
    // Without it a small window gets 80 submits a second through instead of 11,000 (Nagle against delayed ACKs).
    this.socket.setNoDelay(true);
    this.socket.setKeepAlive(true, 30_000);
    this.socket.on(tls ? 'secureConnect' : 'connect', () => events.connected());
    this.socket.on('data', (chunk: Buffer) => this.read(chunk));
    this.socket.on('drain', () => this.drained());
    this.socket.on('error', (error: NodeJS.ErrnoException) =>
      events.failed(connectionFault(error, tls), isClosedByPeer(error)),
    );
    this.socket.on('close', () => events.failed(CLOSED, true));
  }

  /** Queues a PDU for the end of this turn of the event loop. */
  send(pdu: OutgoingPdu): void {
    if (this.isDestroyed) return;
    this.queue.push(pdu);
    if (this.queue.length > QUEUED_PDUS_MAX) {
      this.events.failed('the carrier does not read');
    } else if (!this.flushIsDue && !this.isFull) {
      this.flushIsDue = true;
      setImmediate(() => this.flush());
    }
  }

  /** Like `send`, for a PDU whose fate nobody asks about. */
  sendBytes(bytes: Buffer): void {
    this.send({ bytes, written: false });
  }

  pauseReading(): void {
    this.socket.pause();
  }

  resumeReading(): void {
    this.socket.resume();
  }

  /** Writes what is still queued and closes; the peer has `LAST_WRITE_TIMEOUT_MS` to take it. */
  finish(): void {
    this.flush();
    this.isDestroyed = true;
    this.socket.resume();
    this.socket.end();
    const timer = setTimeout(() => this.socket.destroy(), LAST_WRITE_TIMEOUT_MS);
    this.socket.once('close', () => clearTimeout(timer));
  }

  destroy(): void {
    this.isDestroyed = true;
    this.queue = [];
    this.socket.destroy();
  }

  private read(chunk: Buffer): void {
    // Whatever goes wrong while reading ends the connection: a session that has gone deaf with its socket open is
    // worse.
    try {
      this.framer.push(chunk, (pdu) => {
        if (!this.isDestroyed) this.events.pdu(pdu);
      });
    } catch (error) {
      this.events.failed(error instanceof Error ? error.message : String(error));
    }
    this.events.chunkEnd();
  }

  private drained(): void {
    this.isFull = false;
    this.flush();
  }

  private flush(): void {
    this.flushIsDue = false;
    if (this.isDestroyed || this.isFull || this.queue.length === 0) return;
    const chunks: Buffer[] = [];
    for (const pdu of this.queue) {
      if (pdu.bytes === undefined) continue;
      pdu.written = true;
      chunks.push(pdu.bytes);
    }
    this.queue = [];
    const [only] = chunks;
    if (only === undefined) return;
    this.isFull = !this.socket.write(chunks.length === 1 ? only : Buffer.concat(chunks));
  }
}
