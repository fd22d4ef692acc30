import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { listen } from './listen.js';

const LOOPBACK = '127.0.0.1';

interface LinkEnds {
  readonly near?: string;
  readonly far?: string;
}

/** A pair of sockets: the near one is the client's, the far one the server's. */
interface Pair {
  readonly near: Socket;
  readonly far: Socket;
}

/**
 * One link between two processes, through this process, so that it can be spoilt: cut (both sides reset, new
 * connections refused), latency, hang (bytes are swallowed, sockets stay open), and loss in one direction (requests
 * pass, responses are swallowed; or the reverse). `mend` undoes all of it for new bytes; what was swallowed stays lost,
 * so connections that hung are reset then, as a firewall that comes back resets them.
 */
export class Link {
  private readonly pairs = new Set<Pair>();
  private isCut = false;
  private latencyMs = 0;
  private swallows = { requests: false, responses: false };
  private readonly hasSwallowed = new Set<Pair>();

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  /** @param ends where it listens, and where it leads to; the loopback unless told otherwise */
  static async open(targetPort: number, { near = LOOPBACK, far = LOOPBACK }: LinkEnds = {}): Promise<Link> {
    const server = createServer({ noDelay: true });
    const link = new Link(server, await listen(server, near));
    server.on('connection', (socket) => link.accept(socket, far, targetPort));
    return link;
  }

  /** Connections on which something was swallowed. */
  get gaps(): number {
    return this.hasSwallowed.size;
  }

  /** Resets what is open and refuses what comes, until it is mended. */
  cut(): void {
    this.isCut = true;
    this.reset();
  }

  /** Resets what is open; new connections are taken at once. */
  reset(): void {
    for (const { near, far } of this.pairs) {
      near.resetAndDestroy();
      far.resetAndDestroy();
    }
  }

  /** Every piece arrives so much later, in its order. */
  delayBy(latencyMs: number): void {
    this.latencyMs = latencyMs;
  }

  /** Half-open: connections are taken and stay open, and nothing passes. */
  hang(): void {
    this.swallows = { requests: true, responses: true };
  }

  /** Requests arrive, their responses do not. */
  loseResponses(): void {
    this.swallows = { requests: false, responses: true };
  }

  mend(): void {
    this.isCut = false;
    this.latencyMs = 0;
    this.swallows = { requests: false, responses: false };
    for (const { near, far } of this.hasSwallowed) {
      near.resetAndDestroy();
      far.resetAndDestroy();
    }
    this.hasSwallowed.clear();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private accept(near: Socket, host: string, targetPort: number): void {
    if (this.isCut) {
      near.resetAndDestroy();
      return;
    }
    const far = connect({ port: targetPort, host, noDelay: true });
    const pair = { near, far };
    this.pairs.add(pair);
    this.carry(pair, near, far, 'requests');
    this.carry(pair, far, near, 'responses');
  }

  private carry(pair: Pair, from: Socket, to: Socket, what: 'requests' | 'responses'): void {
    // Nothing overtakes, also where the latency shrinks.
    let last: Promise<unknown> = Promise.resolve();
    const pass = (act: () => void) => {
      const due = this.latencyMs > 0 ? delay(this.latencyMs) : undefined;
      last = last.then(() => due).then(act);
    };
    from.on('error', () => undefined);
    from.on('data', (bytes: Buffer) => {
      if (this.swallows[what]) this.hasSwallowed.add(pair);
      else pass(() => this.write(from, to, bytes));
    });
    from.on('end', () => pass(() => to.end()));
    from.on('close', () => {
      this.pairs.delete(pair);
      this.hasSwallowed.delete(pair);
      pass(() => to.destroy());
    });
  }

  private write(from: Socket, to: Socket, bytes: Buffer): void {
    if (to.destroyed || to.writableEnded) return;
    if (to.write(bytes)) return;
    from.pause();
    to.once('drain', () => from.resume());
  }
}
