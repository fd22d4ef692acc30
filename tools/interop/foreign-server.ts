import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { eventually } from '../../test/support/eventually.js';

const START_MS = 10_000;
const STOP_MS = 5_000;
const START_POLL_MS = 100;

/** What a foreign server decoded, in the names of SMPP 3.4. */
export type Seen = Readonly<Record<string, unknown>> & { readonly event: string };

/** A server of another code base, running in a process of its own. */
export class ForeignServer {
  readonly seen: Seen[] = [];
  readonly complaints: string[] = [];
  private readonly child: ChildProcess;

  private constructor(
    command: string,
    args: readonly string[],
    private readonly folder?: string,
    private readonly givenPort?: number,
  ) {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: folder });
    this.child = child;
    createInterface({ input: child.stderr }).on('line', (line) => this.complaints.push(line));
    child.on('error', (error) => this.complaints.push(error.message));
    if (givenPort !== undefined) child.stdout.resume();
    else createInterface({ input: child.stdout }).on('line', (line) => this.seen.push(JSON.parse(line) as Seen));
  }

  /**
   * @param folder made for it; it runs there, and the folder is removed with it
   * @param port that it is told to listen on; unset: it prints a JSON object a line, the first one with its port
   */
  static async spawn(command: string, args: readonly string[], folder?: string, port?: number): Promise<ForeignServer> {
    const server = new ForeignServer(command, args, folder, port);
    const listens = () => (port === undefined ? server.seen.length > 0 : isListening(port));
    try {
      await eventually(() => server.hasEnded || listens(), { timeoutMs: START_MS, intervalMs: START_POLL_MS });
      if (server.hasEnded) throw new Error(`${command} ended: ${server.complaints.slice(-5).join(' | ')}`);
      return server;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  get port(): number {
    return this.givenPort ?? Number(this.seen[0]?.port);
  }

  of(event: string): Seen[] {
    return this.seen.filter((each) => each.event === event);
  }

  async stop(): Promise<void> {
    if (!this.hasEnded) {
      const exited = once(this.child, 'exit');
      this.child.kill('SIGTERM');
      const timer = setTimeout(() => this.child.kill('SIGKILL'), STOP_MS);
      await exited;
      clearTimeout(timer);
    }
    if (this.folder !== undefined) rmSync(this.folder, { recursive: true, force: true });
  }

  private get hasEnded(): boolean {
    return this.child.pid === undefined || this.child.exitCode !== null || this.child.signalCode !== null;
  }
}

function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}
