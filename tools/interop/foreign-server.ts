import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { eventually } from '../../test/support/eventually.js';
import { until } from '../../test/support/until.js';

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
    cwd?: string,
    private readonly givenPort?: number,
  ) {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd });
    this.child = child;
    createInterface({ input: child.stderr }).on('line', (line) => this.complaints.push(line));
    child.on('error', (error) => this.complaints.push(error.message));
    if (givenPort !== undefined) child.stdout.resume();
    else createInterface({ input: child.stdout }).on('line', (line) => this.seen.push(JSON.parse(line) as Seen));
  }

  /** Starts a server that says nothing of what it decodes and listens on the port that it was told. */
  static async spawnOn(port: number, command: string, args: readonly string[], cwd: string): Promise<ForeignServer> {
    const server = new ForeignServer(command, args, cwd, port);
    await eventually(() => server.hasEnded || isListening(port), { timeoutMs: START_MS, intervalMs: START_POLL_MS });
    return server.started(command);
  }

  /** Starts a server that prints a JSON object a line, the first with the port that it listens on. */
  static async spawn(command: string, args: readonly string[]): Promise<ForeignServer> {
    const server = new ForeignServer(command, args);
    await until(`${command} listens`, () => server.seen.length > 0 || server.hasEnded);
    return server.started(command);
  }

  get port(): number {
    return this.givenPort ?? Number(this.seen[0]?.port);
  }

  of(event: string): Seen[] {
    return this.seen.filter((each) => each.event === event);
  }

  async stop(): Promise<void> {
    if (this.hasEnded) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), STOP_MS);
    await exited;
    clearTimeout(timer);
  }

  private get hasEnded(): boolean {
    return this.child.pid === undefined || this.child.exitCode !== null || this.child.signalCode !== null;
  }

  private started(command: string): this {
    if (this.hasEnded) throw new Error(`${command} ended: ${this.complaints.slice(-5).join(' | ')}`);
    return this;
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
