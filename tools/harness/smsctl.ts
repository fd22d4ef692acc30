import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { THIS_VERSION } from './version.js';

/** A check of the ledger reads every order. */
const TIMEOUT_MS = 3_600_000;
const OUTPUT_BYTES_MAX = 16_000_000;

/** The operator's command line, used the way an operator's script would. */
export class Smsctl {
  constructor(
    private readonly environment: Readonly<Record<string, string>>,
    private readonly version = THIS_VERSION,
  ) {}

  /**
   * Runs a command and reads its JSON document.
   *
   * @throws Error with what it printed when it fails
   */
  async run(...args: string[]): Promise<Record<string, unknown>> {
    try {
      const { stdout } = await this.execute([...args, '--json'], TIMEOUT_MS);
      return JSON.parse(stdout) as Record<string, unknown>;
    } catch (error) {
      const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
      const said = `${stderr}${stdout}`.trim();
      throw new Error(`smsctl ${args.slice(0, 2).join(' ')}: ${said === '' ? message : said}`);
    }
  }

  /** Starts a command and kills it after so long; it may have ended by then. */
  async kill(afterMs: number, ...args: readonly string[]): Promise<void> {
    await this.execute(args, afterMs, 'SIGKILL').catch(() => undefined);
  }

  private execute(args: readonly string[], timeout: number, killSignal: NodeJS.Signals = 'SIGTERM') {
    const options = { env: { ...this.environment }, timeout, killSignal, maxBuffer: OUTPUT_BYTES_MAX };
    return promisify(execFile)(process.execPath, [join(this.version, 'bin/smsctl'), ...args], options);
  }
}
