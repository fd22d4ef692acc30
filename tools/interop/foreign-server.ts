import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
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

  private constructor(
    private readonly child: ChildProcess,
    private readonly givenPort?: number,
  ) {}

  /** Starts a server that says nothing of what it decodes and listens on the port that it was told. */
  static async spawnOn(port: number, command: string, args: readonly string[], cwd: string): Promise<ForeignServer> {
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], cwd });
    const server = new ForeignServer(child, port);
    if (child.stderr === null) throw new Error('no pipe');
    createInterface({ input: child.stderr }).on('line', (line) => server.complaints.push(line));
    for (const deadlineMs = Date.now() + START_MS; ; ) {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(server.complaints.at(-1) ?? `exit code ${child.exitCode}`);
      if (await isListening(port)) return server;
      if (Date.now() > deadlineMs) throw new Error(`not listening after ${START_MS} ms`);
    }
  }

  /** Starts a server that prints a JSON object a line, the first with the port that it listens on. */
  static async spawn(command: string, args: readonly string[]): Promise<ForeignServer> {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const server = new ForeignServer(child);
    if (child.stdout === null || child.stderr === null) throw new Error('no pipes');
    createInterface({ input: child.stdout }).on('line', (line) => server.seen.push(JSON.parse(line) as Seen));
    createInterface({ input: child.stderr }).on('line', (line) => server.complaints.push(line));
    child.on('error', (error) => server.complaints.push(error.message));
    await until(`${command} listens`, () => server.seen.length > 0 || child.exitCode !== null);
    if (server.seen.length === 0) throw new Error(`${command} ended: ${server.complaints.join(' | ')}`);
    return server;
  }

  get port(): number {
    return this.givenPort ?? Number(this.seen[0]?.port);
  }

  of(event: string): Seen[] {
    return this.seen.filter((each) => each.event === event);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), STOP_MS);
    await exited;
    clearTimeout(timer);
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const answer = (is: boolean) => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', () => answer(true));
    socket.once('error', () => setTimeout(() => answer(false), START_POLL_MS));
  });
}
