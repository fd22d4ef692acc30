import { connect, type Socket } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const EMPTY = Buffer.alloc(0);
/** The end of a chunked body without trailers (RFC 9112, 7.1). */
const LAST_CHUNK = '0\r\n\r\n';

interface ConnectionEvents {
  /** A response is complete. */
  readonly answered: (connection: KeepAliveConnection, status: number, latencyMs: number) => void;
  /** The connection has ended; `code` says why. A request that was under way is lost. */
  readonly broken: (connection: KeepAliveConnection, code: string, wasBusy: boolean) => void;
}

/**
 * One HTTP/1.1 connection with one request at a time. It reads no more of a response than its status and its length,
 * because on a small machine whatever the generator spends is taken from the service under test.
 */
export class KeepAliveConnection {
  private readonly socket: Socket;
  private head: Buffer | undefined;
  private bodyBytesLeft = 0;
  /** The end of a chunked body as far as it has come; undefined: the body has a length. */
  private chunksEnd: string | undefined;
  private status = 0;
  private sentAt = 0;
  private isBusy = false;
  private failure = 'closed';

  constructor(
    port: number,
    private readonly events: ConnectionEvents,
  ) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.on('data', (chunk: Buffer) => this.read(chunk));
    this.socket.on('error', (error: NodeJS.ErrnoException) => {
      this.failure = error.code ?? error.message;
    });
    this.socket.on('close', () => {
      const wasBusy = this.isBusy;
      this.isBusy = false;
      this.events.broken(this, this.failure, wasBusy);
    });
  }

  /** @param fromMs from when its latency counts */
  send(request: Buffer, fromMs = performance.now()): void {
    this.isBusy = true;
    this.sentAt = fromMs;
    this.socket.write(request);
  }

  close(): void {
    this.socket.destroy();
  }

  private read(chunk: Buffer): void {
    if (this.chunksEnd !== undefined) this.readChunks(chunk);
    else if (this.bodyBytesLeft > 0) this.readBody(chunk);
    else this.readHead(chunk);
  }

  private readHead(chunk: Buffer): void {
    const received = this.head === undefined ? chunk : Buffer.concat([this.head, chunk]);
    const end = received.indexOf(HEAD_END);
    if (end === -1) {
      this.head = received;
      return;
    }
    this.head = undefined;
    const head = received.toString('latin1', 0, end);
    const rest = received.subarray(end + HEAD_END.length);
    this.status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length !== undefined) {
      this.bodyBytesLeft = Number(length);
      this.readBody(rest);
    } else if (/\r\ntransfer-encoding: *chunked/i.test(head)) {
      this.chunksEnd = '';
      this.readChunks(rest);
    } else {
      this.fail('neither content-length nor chunked');
    }
  }

  /**
   * There is one request at a time, so that what ends like a last chunk is one, but for a text that ends in its digits.
   */
  private readChunks(chunk: Buffer): void {
    this.chunksEnd = `${this.chunksEnd ?? ''}${chunk.toString('latin1')}`.slice(-LAST_CHUNK.length - 2);
    if (this.chunksEnd !== LAST_CHUNK && !this.chunksEnd.endsWith(`\r\n${LAST_CHUNK}`)) return;
    this.chunksEnd = undefined;
    this.readBody(EMPTY);
  }

  private readBody(chunk: Buffer): void {
    this.bodyBytesLeft -= chunk.length;
    if (this.bodyBytesLeft > 0) return;
    if (this.bodyBytesLeft < 0 || !this.isBusy) {
      this.fail('more than one response');
      return;
    }
    this.isBusy = false;
    this.events.answered(this, this.status, performance.now() - this.sentAt);
  }

  private fail(reason: string): void {
    this.failure = reason;
    this.socket.destroy();
  }
}
