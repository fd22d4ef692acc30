import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { SERVICE_NODE_FLAGS } from '../process/service-node-flags.js';
import { dieWithParent } from '../process/setpriv.js';
import type { ProcessLog } from './process-log.js';
import { StartupError } from './startup-error.js';

const RESTART_DELAY_MIN_MS = 500;
const RESTART_DELAY_MAX_MS = 30_000;
/** A process that ran this long has recovered: the next restart uses the shortest delay again. */
const STEADY_AFTER_MS = 60_000;

/** One process of the service, restarted whenever it ends by itself. */
export class ServiceProcess {
  private child: ChildProcess | undefined;
  private restart: NodeJS.Timeout | undefined;
  private restartDelayMs = RESTART_DELAY_MIN_MS;
  private stopping = false;
  private steady = false;
  private fatal: ((error: Error) => void) | undefined;
  /** Rejects if the process ends before it is ready: then the whole start has failed. */
  private readonly endedEarly: Promise<never>;

  constructor(
    readonly name: string,
    private readonly file: string,
    private readonly environment: NodeJS.ProcessEnv,
    private readonly log: ProcessLog,
    private readonly print: (line: string) => void,
  ) {
    this.endedEarly = new Promise((_resolve, reject) => {
      this.fatal = reject;
    });
    this.endedEarly.catch(() => undefined);
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  start(): void {
    const { command, args } = dieWithParent(
      { command: process.execPath, args: [...SERVICE_NODE_FLAGS, this.file] },
      'TERM',
    );
    const startedAt = Date.now();
    // Its own process group: Ctrl-C in a terminal reaches the supervisor only, which stops all processes in the right
    // order.
    const child = spawn(command, args, { env: this.environment, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    this.child = child;
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => this.log.write(line));
    }
    child.once('error', (error) => this.log.write(`cannot be started: ${error.message}`));
    child.once('close', (code, signal) => this.ended(Date.now() - startedAt, signal ?? `exit code ${code}`));
  }

  /**
   * Waits until a probe of the process says that it is ready.
   *
   * @throws StartupError when it ends before, or is not ready within the time
   */
  async ready(probe: () => Promise<boolean>, timeoutMs: number, abort: AbortSignal): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    const poll = async (): Promise<void> => {
      while (!(await probe())) {
        abort.throwIfAborted();
        if (this.stopping) return;
        if (Date.now() > deadline) {
          throw new StartupError(`${this.name} was not ready within ${timeoutMs} ms: see ${this.log.file}`);
        }
        await new Promise((wake) => setTimeout(wake, 100));
      }
    };
    await Promise.race([poll(), this.endedEarly]);
    this.steady = true;
  }

  /** SIGTERM, then SIGKILL if the process has not ended within the time. */
  async stop(graceMs: number): Promise<void> {
    this.stopping = true;
    clearTimeout(this.restart);
    const child = this.child;
    if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      const closed = once(child, 'close');
      child.kill('SIGTERM');
      const axe = setTimeout(() => {
        this.print(`${this.name} did not stop within ${graceMs} ms and is killed`);
        child.kill('SIGKILL');
      }, graceMs);
      await closed;
      clearTimeout(axe);
    }
    await this.log.close();
  }

  /** Ends the process at once, without draining. */
  kill(): void {
    this.stopping = true;
    this.child?.kill('SIGKILL');
  }

  private ended(ranMs: number, how: string): void {
    if (this.stopping) return;
    const reason = `${how}${this.log.lastComplaint === undefined ? '' : `, ${this.log.lastComplaint}`}`;
    if (!this.steady) {
      this.stopping = true;
      this.fatal?.(new StartupError(`${this.name} ended while starting (${reason}): see ${this.log.file}`));
      return;
    }
    if (ranMs > STEADY_AFTER_MS) this.restartDelayMs = RESTART_DELAY_MIN_MS;
    this.print(`${this.name} ended (${reason}); it is started again in ${this.restartDelayMs} ms`);
    this.restart = setTimeout(() => this.start(), this.restartDelayMs);
    this.restartDelayMs = Math.min(this.restartDelayMs * 2, RESTART_DELAY_MAX_MS);
  }
}
