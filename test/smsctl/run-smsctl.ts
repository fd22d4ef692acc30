import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { TEST_SECRETS_KEY } from '../support/secrets.js';

export const SMSCTL = fileURLToPath(new URL('../../../bin/smsctl', import.meta.url));
const RUN_TIMEOUT_MS = 20_000;

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command as an operator would, with nothing of our own environment but the PATH, and beside a DATABASE_URL the key of the specs. */
export function runSmsctl(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  { file = SMSCTL, cwd = '/' }: { file?: string; cwd?: string } = {},
): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, [...args], {
      cwd,
      env: {
        PATH: process.env.PATH ?? '',
        ...(environment.DATABASE_URL !== undefined && { SECRETS_KEY: TEST_SECRETS_KEY }),
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: RUN_TIMEOUT_MS,
    });
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
