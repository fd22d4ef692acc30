import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { eventually } from '../support/eventually.js';
import type { Sample } from './guide-fences.js';
import type { ShownAnswers } from './shown-answers.js';

const run = promisify(execFile);
const WAIT_MS = 20_000;

/** What a reader has set before: the service and a key of the account. */
export interface Reader {
  readonly url: string;
  readonly apiKey: string;
  /** Where the commands run; what they write stays there. */
  readonly folder: string;
  /** What commands of the page have exported before. */
  exports: string;
}

/**
 * Runs a command of a guide with bash and compares its answer with the shown one. A request that only reads is repeated
 * until it answers as shown, because a message takes a moment to its end.
 */
export async function runSample(
  { command, shown, place }: Sample,
  answers: ShownAnswers,
  reader: Reader,
): Promise<void> {
  const once = async () => {
    const env = { ...process.env, HELIOGRAPH_URL: reader.url, HELIOGRAPH_API_KEY: reader.apiKey };
    const line = answers.inThisRun(command);
    const { stdout } = await run('bash', ['-euc', `${reader.exports}${line}`], { cwd: reader.folder, env });
    try {
      answers.compare(shown, stdout);
    } catch (error) {
      throw new Error(`${place}: ${(error as Error).message}\nof ${line}`);
    }
  };
  const isRead = command.startsWith('curl ') && !/ (-X|-d|--data\S*) /.test(command.replaceAll('\\\n', ' '));
  await (isRead ? eventually(once, { timeoutMs: WAIT_MS, intervalMs: 100 }) : once());
  if (command.startsWith('export ')) reader.exports += `${command}\n`;
}
