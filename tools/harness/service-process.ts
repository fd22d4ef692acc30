import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SERVICE_NODE_FLAGS } from '../../scripts/process/service-node-flags.js';
import { dieWithParent, type Launch } from '../../scripts/process/setpriv.js';
import { awaitFact } from './await-fact.js';

const STOP_TIMEOUT_MS = 25_000;
const KILL_TIMEOUT_MS = 5_000;
const READY_TIMEOUT_MS = 60_000;
const LOG_TAIL_LINES = 12;
const RESTART_AFTER_MS = 100;
/** A process that ends by itself soon after its start is not started over and over without a pause. */
const RESTART_AFTER_FAILURE_MS = 500;

export interface ProcessOptions {
  readonly name: string;
  /** Compiled program, run by the Node that runs the harness; or another command of this system. */
  readonly program: string | { readonly command: string };
  readonly args?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Where its logs go. */
  readonly dir: string;
  /** What it logs when it is ready. */
  readonly readyText?: string;
  /** Whether it is started again whatever ends it, as systemd or an orchestrator would; unset: not. */
  readonly isSupervised?: boolean;
  /** The network namespace that it lives in; unset: that of the harness. */
  readonly namespace?: string | undefined;
}

/** One process of the system, in one life or several. */
export class ServiceProcess {
  /** Times that it ended and the harness had not asked for it. */
  unaskedEnds = 0;
  /** What its next lives run. */
  program: ProcessOptions['program'];
  /** What its next lives find in their environment beside the rest. */
  extraEnvironment: Readonly<Record<string, string>> = {};
  private child: ChildProcess;
  private ended: Promise<void> = Promise.resolve();
  private life = 0;
  private isStopping = false;
  private isPaused = false;
  private endIsAsked = false;

  constructor(private readonly options: ProcessOptions) {
    this.program = options.program;
    this.child = this.launch();
  }

  get name(): string {
    return this.options.name;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get hasEnded(): boolean {
    return this.end !== undefined;
  }

  /** Whether this life of it has said that it is ready. */
  get isReady(): boolean {
    return !this.hasEnded && !this.isPaused && this.log().includes(this.options.readyText ?? '');
  }

  async ready(signal = new AbortController().signal): Promise<void> {
    await awaitFact(`${this.name} is ready`, READY_TIMEOUT_MS, signal, async () => {
      if (this.hasEnded && this.options.isSupervised !== true) throw new Error(this.describeEnd());
      return this.isReady;
    });
  }

  /** What a life of it has said; of the current one unless told otherwise. */
  log(life = this.life): string {
    const file = this.logFile(life);
    return existsSync(file) ? readFileSync(file, 'latin1') : '';
  }

  /** Whether any life of it has said this. */
  hasEverSaid(text: string): boolean {
    return Array.from({ length: this.life }, (_, index) => this.log(index + 1)).some((log) => log.includes(text));
  }

  /** Why it is not there any more, with the last that it said. */
  describeEnd(): string {
    const lines = this.log().trimEnd().split('\n').slice(-LOG_TAIL_LINES);
    return `${this.name} has ended with ${this.end}:\n${lines.join('\n')}`;
  }

  /** kill -9. */
  async kill(): Promise<void> {
    const { ended } = this;
    this.endIsAsked = true;
    this.child.kill('SIGKILL');
    await ended;
  }

  /** SIGTERM, as a deployment does. Resolves to how it ended. */
  async terminate(): Promise<number | string> {
    const { child, ended } = this;
    this.endIsAsked = true;
    child.kill('SIGTERM');
    await Promise.race([ended, delay(STOP_TIMEOUT_MS, undefined, { ref: false })]);
    return child.exitCode ?? child.signalCode ?? `still running after ${STOP_TIMEOUT_MS} ms`;
  }

  /** SIGSTOP: it stands still with all its sockets open, like a machine that sleeps. */
  pause(): void {
    this.isPaused = true;
    this.child.kill('SIGSTOP');
  }

  resume(): void {
    this.isPaused = false;
    this.child.kill('SIGCONT');
  }

  /**
   * SIGTERM, and SIGKILL if it does not end; it is not started again. Resolves to whether it ended by itself with code
   * 0.
   */
  async stop(): Promise<boolean> {
    this.isStopping = true;
    this.resume();
    await this.terminate();
    if (!this.hasEnded) await Promise.race([this.kill(), delay(KILL_TIMEOUT_MS, undefined, { ref: false })]);
    return this.child.exitCode === 0;
  }

  private logFile(life: number): string {
    return join(this.options.dir, `${this.name}.${life}.log`);
  }

  private get end(): number | string | undefined {
    return this.child.exitCode ?? this.child.signalCode ?? undefined;
  }

  private launch(): ChildProcess {
    // An earlier process of this name has its logs here too, and `isReady` reads what this life has said.
    do this.life += 1;
    while (existsSync(this.logFile(this.life)));
    this.endIsAsked = false;
    this.isPaused = false;
    const { args: given = [], environment, namespace } = this.options;
    const { program } = this;
    const launch =
      typeof program === 'string'
        ? { command: process.execPath, args: [...SERVICE_NODE_FLAGS, program, ...given] }
        : { command: program.command, args: given };
    const { command, args } = inNamespace(namespace, dieWithParent(launch, 'TERM'));
    const log = openSync(this.logFile(this.life), 'a', 0o600);
    // Its own process group: Ctrl-C reaches the harness alone, which then stops everything in order.
    const env = { ...environment, ...this.extraEnvironment };
    const child = spawn(command, args, { env, stdio: ['ignore', log, log], detached: true });
    closeSync(log);
    this.ended = once(child, 'exit').then(
      () => this.onEnd(),
      () => undefined,
    );
    return child;
  }

  private onEnd(): void {
    const wasAsked = this.endIsAsked;
    if (!wasAsked) this.unaskedEnds += 1;
    if (this.isStopping || this.options.isSupervised !== true) return;
    const restart = () => {
      if (!this.isStopping) this.child = this.launch();
    };
    setTimeout(restart, wasAsked ? RESTART_AFTER_MS : RESTART_AFTER_FAILURE_MS);
  }
}

/** `ip netns exec` becomes the command: the pid and the parent stay as they are. */
function inNamespace(namespace: string | undefined, launch: Launch): Launch {
  if (namespace === undefined) return launch;
  return { command: 'ip', args: ['netns', 'exec', namespace, launch.command, ...launch.args] };
}
