import { runSmsctl } from '../../apps/smsctl/main.js';

/** A command line for the process that waits for them, and what it printed. */
export interface WarmRequest {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The current folder. */
  readonly cwd: string;
}
export interface WarmRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

// Runs one command line after the other in this process, as bin/smsctl runs one. Each of them adds a listener to
// stdout.
process.stdout.setMaxListeners(0);
process.on('message', async ({ args, environment, cwd }: WarmRequest) => {
  process.chdir(cwd);
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].write = (text: string | Uint8Array) => {
      printed[name] += text.toString();
      return true;
    };
  }
  const code = await runSmsctl(args, environment);
  process.send?.({ code, ...printed } satisfies WarmRun);
});
process.on('disconnect', () => process.exit());
