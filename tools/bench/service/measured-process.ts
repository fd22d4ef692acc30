import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { SERVICE_NODE_FLAGS } from '../../../scripts/process/service-node-flags.js';
import { dieWithParent } from '../../../scripts/process/setpriv.js';

const STOP_TIMEOUT_MS = 25_000;
const KILL_TIMEOUT_MS = 5_000;
const LOG_TAIL_LINES = 12;

export interface ProcessOptions {
  readonly name: string;
  /** Compiled program, run by the Node that runs the bench; or another command of this system. */
  readonly program: string | { readonly command: string };
  readonly args?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly logFile: string;
}

/** One process of the service under test. */
export class MeasuredProcess {
  private readonly child: ChildProcess;
  /** Resolves when it has ended, however it came to that. */
  readonly ended: Promise<void>;

  constructor(private readonly options: ProcessOptions) {
    const { program, args: given = [] } = options;
    const launch =
      typeof program === 'string'
        ? { command: process.execPath, args: [...SERVICE_NODE_FLAGS, program, ...given] }
        : { command: program.command, args: given };
    const { command, args } = dieWithParent(launch, 'TERM');
    const log = openSync(options.logFile, 'a', 0o600);
    // Its own process group: Ctrl-C reaches the bench alone, which then stops everything in order.
    this.child = spawn(command, args, { env: options.environment, stdio: ['ignore', log, log], detached: true });
    closeSync(log);
    this.ended = once(this.child, 'exit').then(
      () => undefined,
      () => undefined,
    );
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Its exit code, or the signal that ended it; undefined while it runs. */
  get end(): number | NodeJS.Signals | undefined {
    return this.child.exitCode ?? this.child.signalCode ?? undefined;
  }

  /** For what no orderly end is about: SIGKILL, SIGSTOP, SIGCONT, or a SIGTERM that somebody else waits for. */
  signal(signal: NodeJS.Signals): void {
    if (!this.hasEnded) this.child.kill(signal);
  }

  /** Why it is not there any more, with the last that it said. */
  describeEnd(): string {
    const lines = readFileSync(this.options.logFile, 'utf8').trimEnd().split('\n').slice(-LOG_TAIL_LINES);
    const how = this.child.signalCode ?? `exit code ${this.child.exitCode}`;
    return `${this.options.name} has ended with ${how}:\n${lines.join('\n')}`;
  }

  /** SIGTERM, and the axe for what does not heed it. Resolves to whether it ended by itself with code 0. */
  async stop(): Promise<boolean> {
    for (const [signal, timeoutMs] of [
      ['SIGTERM', STOP_TIMEOUT_MS],
      ['SIGKILL', KILL_TIMEOUT_MS],
    ] as const) {
      if (this.hasEnded) break;
      const ended = once(this.child, 'exit', { signal: AbortSignal.timeout(timeoutMs) });
      this.child.kill(signal);
      await ended.catch(() => undefined);
    }
    return this.child.exitCode === 0;
  }
}
