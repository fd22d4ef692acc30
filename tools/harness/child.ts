import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const STOP_TIMEOUT_MS = 2_000;

// biome-ignore lint/suspicious/noExplicitAny: whatever a program can be asked.
type Methods = Record<string, (...values: any[]) => unknown>;

interface Call {
  readonly id: number;
  readonly method: string;
  readonly values: readonly unknown[];
}

interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

/**
 * A program of the harness in a process of its own, so that producing load never shares an event loop with anything
 * that is measured. What it can be asked is what it hands to `serve`.
 */
export class Child<Program extends Methods> {
  private readonly process: ChildProcess;
  private readonly waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  private calls = 0;

  /** @param program compiled, e.g. `new URL('./main.js', import.meta.url)` */
  constructor(private readonly program: URL) {
    this.process = fork(fileURLToPath(program), [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.process.on('message', ({ id, value, error }: Answer) => {
      const caller = this.waiting.get(id);
      if (error === undefined) caller?.resolve(value);
      else caller?.reject(new Error(error));
    });
    this.process.on('exit', () => {
      for (const { reject } of this.waiting.values()) reject(new Error(`${this.name} has ended`));
    });
  }

  get pid(): number {
    return this.process.pid ?? 0;
  }

  /** @throws Error when it fails, ends, or does not answer in time */
  ask<Method extends keyof Program & string>(
    method: Method,
    timeoutMs: number,
    ...values: Parameters<Program[Method]>
  ): Promise<Awaited<ReturnType<Program[Method]>>> {
    this.calls += 1;
    const call: Call = { id: this.calls, method, values };
    const answer = new Promise<unknown>((resolve, reject) => {
      this.waiting.set(call.id, { resolve, reject });
      setTimeout(() => reject(new Error(`${this.name}: no ${method} within ${timeoutMs} ms`)), timeoutMs).unref();
      this.process.send(call, (error) => error && reject(error));
    });
    return answer.finally(() => this.waiting.delete(call.id)) as Promise<Awaited<ReturnType<Program[Method]>>>;
  }

  async close(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = once(this.process, 'exit', { signal: AbortSignal.timeout(STOP_TIMEOUT_MS) });
    if (this.process.connected) this.process.disconnect();
    await ended.catch(() => this.process.kill('SIGKILL'));
  }

  private get name(): string {
    return this.program.pathname.split('/').slice(-2).join('/');
  }
}

/** In the child: answers calls until the harness goes away. */
export function serve(methods: Methods): void {
  const answer = (message: Answer) => process.connected && process.send?.(message);
  process.on('message', ({ id, method, values }: Call) => {
    Promise.resolve()
      .then(() => methods[method]?.(...values))
      .then(
        (value) => answer({ id, value }),
        (error: unknown) => answer({ id, error: error instanceof Error ? error.message : String(error) }),
      );
  });
  process.on('disconnect', () => process.exit(0));
  // Ctrl-C in a terminal reaches the whole group; the harness decides when this process ends.
  process.on('SIGINT', () => undefined);
}
