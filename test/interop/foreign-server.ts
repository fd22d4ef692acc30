import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { until } from '../support/until.js';

/** What a foreign server decoded, in the names of SMPP 3.4. */
export type Seen = Readonly<Record<string, unknown>> & { readonly event: string };

/** A server of another code base, running in a process of its own. */
export class ForeignServer {
  readonly seen: Seen[] = [];
  readonly complaints: string[] = [];

  private constructor(private readonly child: ChildProcess) {}

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
    return Number(this.seen[0]?.port);
  }

  of(event: string): Seen[] {
    return this.seen.filter((each) => each.event === event);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGTERM');
    await once(this.child, 'exit');
  }
}
