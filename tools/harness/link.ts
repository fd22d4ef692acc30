import { connect, createServer, type Server, type Socket } from 'node:net';

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
    readonly name: string,
    private readonly server: Server,
    readonly port: number,
  ) {}

  /**
   * @param ends where it listens, and where it leads to; the loopback unless told otherwise
   */
  static async open(name: string, targetPort: number, ends: LinkEnds = {}): Promise<Link> {
    const { near = LOOPBACK, far = LOOPBACK } = ends;
    const server = createServer({ noDelay: true });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, near, resolve);
    });
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error(`the link ${name} does not listen`);
    const link = new Link(name, server, address.port);
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
    const lane = new Lane();
    from.on('error', () => undefined);
    from.on('data', (bytes: Buffer) => {
      if (this.swallows[what]) this.hasSwallowed.add(pair);
      else lane.pass(this.latencyMs, () => this.write(from, to, bytes));
    });
    from.on('end', () => lane.pass(this.latencyMs, () => to.end()));
    from.on('close', () => {
      this.pairs.delete(pair);
      this.hasSwallowed.delete(pair);
      lane.pass(this.latencyMs, () => to.destroy());
    });
  }

  private write(from: Socket, to: Socket, bytes: Buffer): void {
    if (to.destroyed || to.writableEnded) return;
    if (to.write(bytes)) return;
    from.pause();
    to.once('drain', () => from.resume());
  }
}

/** What goes one way on one connection: nothing overtakes, also where the latency shrinks. */
class Lane {
  private readonly waiting: { readonly dueMs: number; readonly act: () => void }[] = [];

  pass(latencyMs: number, act: () => void): void {
    if (latencyMs === 0 && this.waiting.length === 0) {
      act();
      return;
    }
    this.waiting.push({ dueMs: performance.now() + latencyMs, act });
    if (this.waiting.length === 1) this.schedule();
  }

  private schedule(): void {
    const [next] = this.waiting;
    if (next === undefined) return;
    setTimeout(
      () => {
        next.act();
        this.waiting.shift();
        this.schedule();
      },
      Math.max(0, next.dueMs - performance.now()),
    );
  }
}
