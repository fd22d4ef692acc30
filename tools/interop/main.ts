import { Command } from 'commander';
import { KINDS } from './kinds.js';

/**
 * Binds to SMPP servers of other code bases, sends through them and takes their receipts. Prints which were found on
 * this machine and what was proved with each. Fails when a proof fails, and when no foreign server is there to prove
 * anything with.
 */
async function main(): Promise<void> {
  let proved = 0;
  let failed = 0;
  for (const kind of KINDS) {
    const missing = kind.missing();
    if (missing !== undefined) {
      say(`${kind.name}: NOT FOUND, nothing proved (${missing})`);
      continue;
    }
    const server = await kind.start().catch((error: Error) => error);
    if (server instanceof Error) {
      say(`${kind.name}: DID NOT START, nothing proved (${server.message})`);
      continue;
    }
    say(`${kind.name}: found`);
    const failedBefore = failed;
    try {
      for (const [what, prove] of kind.proofs) {
        try {
          await prove(server);
          proved += 1;
          say(`  ok      ${what}`);
        } catch (error) {
          failed += 1;
          say(`  FAILED  ${what}: ${error instanceof Error ? error.message : String(error)}`);
        }
      }
      if (failed > failedBefore)
        for (const complaint of server.complaints.slice(-5)) say(`  its own words: ${complaint}`);
    } finally {
      await server.stop();
    }
  }
  say(`${proved} proved, ${failed} failed`);
  if (failed > 0 || proved === 0) process.exitCode = 1;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

new Command('npm run interop --')
  .description('Sends through SMPP servers of other code bases that are installed here, and takes their receipts.')
  .parse();
await main();
