import { createServer, type Server, type Socket } from 'node:net';
import { listen } from '../../harness/listen.js';
import { type Percentiles, percentiles } from '../../harness/statistics.js';

const HEAD_END = Buffer.from('\r\n\r\n');
const ANSWER = 'HTTP/1.1 204 No Content\r\n\r\n';

/** The events of a stretch of time. */
export interface HeardEvents {
  /** That arrived in it. */
  readonly perSecond: number;
  /** From the change of the message to the arrival, of all whose change was in it, however late they arrived. */
  readonly lag: Percentiles;
}

/**
 * A client's receiver of webhooks that takes every event, counts it and does next to nothing else: it stands for a
 * machine elsewhere, and must cost this one as little as it can. So it reads of HTTP what a deliverer sends: a head
 * with a content-length, and a body.
 */
export class CountingReceiver {
  /** Events that it was given again. */
  repeats = 0;
  private readonly heard = new Set<string>();
  private readonly arrivedAtMs: number[] = [];
  private readonly changedAtMs: number[] = [];
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {
    server.on('connection', (socket) => this.serve(socket));
  }

  static async start(): Promise<CountingReceiver> {
    const server = createServer({ noDelay: true });
    return new CountingReceiver(server, `http://127.0.0.1:${await listen(server)}/events`);
  }

  /** Changes that it was told of, by message and status, each counted once. */
  get changes(): number {
    return this.heard.size;
  }

  /** @param fromMs milliseconds since 1970, as `toMs` */
  between(fromMs: number, toMs: number): HeardEvents {
    const isWithin = (atMs: number) => atMs >= fromMs && atMs < toMs;
    const arrived = this.arrivedAtMs.filter(isWithin).length;
    const lags = this.changedAtMs.flatMap((atMs, index) =>
      isWithin(atMs) ? [(this.arrivedAtMs[index] ?? Number.NaN) - atMs] : [],
    );
    return { perSecond: arrived / ((toMs - fromMs) / 1_000), lag: percentiles(lags) };
  }

  close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    return new Promise((closed) => this.server.close(() => closed()));
  }

  private serve(socket: Socket): void {
    let unread: Buffer = Buffer.alloc(0);
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk]);
      for (let body = bodyOf(unread); body !== undefined; body = bodyOf(unread)) {
        this.take(unread.toString('utf8', body.start, body.end));
        unread = unread.subarray(body.end);
        socket.write(ANSWER);
      }
    });
  }

  private take(text: string): void {
    const { timestamp, data } = JSON.parse(text) as {
      readonly timestamp: string;
      readonly data: { readonly messageId: string; readonly status: string };
    };
    const change = `${data.messageId} ${data.status}`;
    if (this.heard.has(change)) {
      this.repeats += 1;
      return;
    }
    this.heard.add(change);
    this.arrivedAtMs.push(Date.now());
    this.changedAtMs.push(Date.parse(timestamp));
  }
}

/** Where the body of the first request is; undefined: some of it has not come yet. */
function bodyOf(bytes: Buffer): { readonly start: number; readonly end: number } | undefined {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd === -1) return undefined;
  const length = /\r\ncontent-length: *(\d+)/i.exec(bytes.toString('latin1', 0, headEnd))?.[1];
  if (length === undefined) throw new Error('a request without a content-length');
  const start = headEnd + HEAD_END.length;
  const end = start + Number(length);
  return end > bytes.length ? undefined : { start, end };
}
