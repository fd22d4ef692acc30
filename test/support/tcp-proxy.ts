import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * Hands bytes on to a server, until it is cut: then every connection drops and none is taken any more. Or until it
 * swallows: then connections that are open stay open, and nothing comes through them any more.
 */
export class TcpProxy {
  private readonly sockets = new Set<Socket>();
  private isCut = false;
  /** Connections through which nothing comes any more, by their near end. */
  private readonly swallowing = new Set<Socket>();
  private readonly nearEnds = new Set<Socket>();
  /** Connections that it did not take, because it was cut. */
  refused = 0;

  private constructor(private readonly server: Server) {}

  /** Before the server of a URL. */
  static async before(url: string): Promise<TcpProxy> {
    const { hostname, port } = new URL(url);
    const server = createServer((near) => {
      if (proxy.isCut) {
        proxy.refused += 1;
        near.destroy();
        return;
      }
      const far = connect(Number(port), hostname);
      proxy.nearEnds.add(near);
      near.on('close', () => proxy.nearEnds.delete(near));
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        proxy.sockets.add(socket);
        socket.on('data', (bytes) => {
          if (!proxy.swallowing.has(near)) other.write(bytes);
        });
        socket.on('error', () => undefined);
        socket.on('close', () => {
          proxy.sockets.delete(socket);
          other.destroy();
        });
      }
    });
    const proxy = new TcpProxy(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** The same URL, by way of the proxy. */
  through(url: string): string {
    const changed = new URL(url);
    changed.hostname = '127.0.0.1';
    changed.port = String(this.port);
    return changed.href;
  }

  private get port(): number {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('not listening');
    return address.port;
  }

  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  /** Silences the connections that are open now, but for the oldest ones; new ones work. */
  swallow(oldestKept = 0): void {
    for (const near of [...this.nearEnds].slice(oldestKept)) this.swallowing.add(near);
  }

  mend(): void {
    this.isCut = false;
  }

  /** Refuses connections, as the port of a server that has ended does, until the function that it gives is called. */
  async refuse(): Promise<() => Promise<void>> {
    const { port } = this;
    await this.close();
    return async () => {
      this.mend();
      await new Promise<void>((resolve) => this.server.listen(port, '127.0.0.1', resolve));
    };
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }
}
