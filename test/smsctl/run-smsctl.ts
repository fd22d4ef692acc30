import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { TEST_SECRETS_KEY } from '../support/secrets.js';
import type { WarmRequest, WarmRun } from './warm-smsctl.js';

export const SMSCTL = fileURLToPath(new URL('../../../bin/smsctl', import.meta.url));
const WARM_SMSCTL = fileURLToPath(new URL('./warm-smsctl.js', import.meta.url));
/** A busy machine takes seconds to start Node; what hangs is ended. */
const RUN_TIMEOUT_MS = 120_000;
/** They open connections to more than the database: that they end by themselves is a part of what they do. */
const ENDS_BY_ITSELF = /^(doctor|carrier test)\b/;

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs the command as an operator would, with nothing of our own environment but the PATH, and beside a DATABASE_URL
 * the key of the specs. To start Node takes longer than most commands, so most run in a process that has started
 * already; a command with a file of its own, and one that has to end by itself, is a process. Whoever looks only at
 * what such a command says sets `isWarm`.
 */
export async function runSmsctl(
  args: readonly string[],
  given: Readonly<Record<string, string>>,
  { isWarm = false, file, cwd = '/' }: { file?: string; cwd?: string; isWarm?: boolean } = {},
): Promise<Run> {
  const environment = {
    PATH: process.env.PATH ?? '',
    ...(given.DATABASE_URL !== undefined && { SECRETS_KEY: TEST_SECRETS_KEY }),
    ...given,
  };
  const hasToEnd = !isWarm && ENDS_BY_ITSELF.test(args.join(' '));
  const isProcess = hasToEnd || file !== undefined || Object.keys(given).some((name) => name.startsWith('NODE_'));
  return isProcess ? spawned(args, environment, cwd, file) : warmed({ args, environment, cwd });
}

function spawned(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
  file = SMSCTL,
): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, [...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: RUN_TIMEOUT_MS });
    const parts = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      parts.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      parts.stderr += text;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...parts }));
  });
}

/** The process that waits for command lines is for all specs, and ends with this one. */
let warm: ChildProcess | undefined;
/** It has one terminal, so command lines that come at once take turns. */
let turn: Promise<unknown> = Promise.resolve();

function warmed(request: WarmRequest): Promise<Run> {
  const run = turn.then(async () => {
    warm ??= start();
    warm.send(request);
    const [answer] = await once(warm, 'message', { signal: AbortSignal.timeout(RUN_TIMEOUT_MS) });
    return answer as WarmRun;
  });
  turn = run.catch(() => {
    warm?.kill();
    warm = undefined;
  });
  return run;
}

function start(): ChildProcess {
  const child = fork(WARM_SMSCTL, { env: {}, execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  // Jest's process may end while this one waits.
  child.unref();
  child.channel?.unref();
  return child;
}
