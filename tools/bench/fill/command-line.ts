import { tmpdir } from 'node:os';
import { Command } from 'commander';
import { wholeNumber } from '#config';

/** What a database is to be filled with. */
export interface FillPlan {
  readonly messages: number;
  readonly accounts: number;
  readonly days: number;
  readonly seed: number;
  /** Sessions that write at the same time. */
  readonly sessions: number;
}

export interface FillOptions extends FillPlan {
  /** Where a cluster of its own is kept. */
  readonly dir: string;
  /** Whether the ledger is verified afterwards. */
  readonly verify: boolean;
}

const EXAMPLES = `
Examples:
  npm run bench:fill                                     10 million messages, kept in a cluster of its own
  npm run bench -- --only flat                           measures on it
  npm run bench:fill -- --messages 100000 --dir /var/tmp
  DATABASE_URL=postgres://... npm run bench:fill         fills that database; it should be one made for this

The same seed gives the same messages, but for their times, which end now.`;

/** Reads the flags. `--help` and a wrong flag print what commander prints and end the process. */
export function parseFillCommandLine(argv: readonly string[]): FillOptions {
  const flags = program()
    .parse([...argv], { from: 'user' })
    .opts<FillOptions>();
  return { ...flags, accounts: Math.min(flags.accounts, flags.messages) };
}

function program(): Command {
  return new Command('npm run bench:fill --')
    .description('Fills a database with messages of the past, so that the service can be measured on it.')
    .option('--messages <n>', 'messages in all', wholeNumber(1, 1_000_000_000), 10_000_000)
    .option(
      '--accounts <n>',
      'accounts, the n-th largest with 1/n of the messages of the largest',
      wholeNumber(1, 100_000),
      1_000,
    )
    .option('--days <n>', 'over how many days, up to now', wholeNumber(1, 3_650), 90)
    .option('--seed <n>', 'of everything that is drawn', wholeNumber(0, 2 ** 31), 1)
    .option('--sessions <n>', 'that write at the same time', wholeNumber(1, 64), 3)
    .option('--dir <folder>', 'where a cluster of its own is kept', tmpdir())
    .option('--no-verify', 'leaves out `smsctl ledger verify`')
    .addHelpText('after', EXAMPLES);
}
