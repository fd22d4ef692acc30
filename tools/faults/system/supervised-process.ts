import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { awaitFact } from '../../bench/service/await-fact.js';
import { MeasuredProcess } from '../../bench/service/measured-process.js';

const RESTART_AFTER_MS = 100;
/** A process that ends by itself soon after its start is not started over and over without a pause. */
const RESTART_AFTER_FAILURE_MS = 500;
const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;

export interface SupervisedOptions {
  readonly name: string;
  readonly program: string;
  readonly args?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly dir: string;
  /** What the process logs when it is ready. */
  readonly readyText: string;
}

/** How one life of a process ended. */
export interface ProcessEnd {
  readonly process: string;
  readonly atMs: number;
  readonly end: number | string;
  /** Whether the nemesis asked for it. */
  readonly wasAsked: boolean;
}

/** A process under a supervisor: whatever ends it, it is started again, as systemd or an orchestrator would. */
export class SupervisedProcess {
  private current: MeasuredProcess;
  private life = 0;
  private isStopping = false;
  private isPaused = false;
  private endIsAsked = false;
  private extra: Readonly<Record<string, string>> = {};
  private program: string;
  readonly ends: ProcessEnd[] = [];

  constructor(private readonly options: SupervisedOptions) {
    this.program = options.program;
    this.current = this.launch();
  }

  get name(): string {
    return this.options.name;
  }

  get pid(): number {
    return this.current.pid;
  }

  /** Whether this life of it has said that it is ready. */
  get isReady(): boolean {
    return !this.current.hasEnded && !this.isPaused && this.hasSaid(this.options.readyText);
  }

  async ready(signal: AbortSignal): Promise<void> {
    await awaitFact(`${this.name} is ready`, READY_TIMEOUT_MS, async () => {
      signal.throwIfAborted();
      return this.isReady || undefined;
    });
  }

  /** What its next lives find in their environment beside the rest; what was given before is gone. */
  setEnvironment(extra: Readonly<Record<string, string>>): void {
    this.extra = extra;
  }

  /** What its next lives run. */
  setProgram(program: string): void {
    this.program = program;
  }

  /** Whether the current life has said this. */
  hasSaid(text: string): boolean {
    return this.logText().includes(text);
  }

  /** Whether any life of it has said this. */
  hasEverSaid(text: string): boolean {
    return Array.from({ length: this.life }, (_, index) => this.logFileOf(index + 1)).some(
      (file) => existsSync(file) && readFileSync(file, 'latin1').includes(text),
    );
  }

  /** kill -9. */
  async kill(): Promise<void> {
    const { current } = this;
    this.endIsAsked = true;
    current.signal('SIGKILL');
    await current.ended;
  }

  /** SIGTERM, as a deployment does. Resolves to how it ended. */
  async terminate(): Promise<number | string> {
    const { current } = this;
    this.endIsAsked = true;
    current.signal('SIGTERM');
    await Promise.race([current.ended, delay(STOP_TIMEOUT_MS, undefined, { ref: false })]);
    return current.end ?? `still running after ${STOP_TIMEOUT_MS} ms`;
  }

  /** SIGSTOP: it stands still with all its sockets open, like a machine that sleeps. */
  pause(): void {
    this.isPaused = true;
    this.current.signal('SIGSTOP');
  }

  resume(): void {
    this.isPaused = false;
    this.current.signal('SIGCONT');
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    this.resume();
    this.endIsAsked = true;
    await this.current.stop();
  }

  /** The last that the current life has said. */
  get logFile(): string {
    return this.logFileOf(this.life);
  }

  private logFileOf(life: number): string {
    return join(this.options.dir, `${this.name}.${life}.log`);
  }

  private logText(): string {
    return existsSync(this.logFile) ? readFileSync(this.logFile, 'latin1') : '';
  }

  private launch(): MeasuredProcess {
    this.life += 1;
    this.endIsAsked = false;
    this.isPaused = false;
    const { name, args = [] } = this.options;
    const environment = { ...this.options.environment, ...this.extra };
    const process = new MeasuredProcess({ name, program: this.program, args, environment, logFile: this.logFile });
    void process.ended.then(() => this.onEnd(process));
    return process;
  }

  private async onEnd(process: MeasuredProcess): Promise<void> {
    const wasAsked = this.endIsAsked;
    this.ends.push({ process: this.name, atMs: Date.now(), end: process.end ?? 'unknown', wasAsked });
    if (this.isStopping) return;
    await delay(wasAsked ? RESTART_AFTER_MS : RESTART_AFTER_FAILURE_MS);
    if (!this.isStopping) this.current = this.launch();
  }
}
