import { type Command, InvalidArgumentError } from 'commander';
import { formatMicros } from '#billing';
import { accountUsage, findAccount } from '#persistence';
import { addCommand } from '../command.js';
import type { Session } from '../session.js';
import { table } from '../text.js';

const DAY_MS = 86_400_000;
const DAYS_SHOWN = 30;
const STATEMENT_TIMEOUT_MS = 60_000;

export function addUsage(account: Command, session: Session): void {
  addCommand(account, 'usage', 'what an account has sent, by day, destination and status', [
    'account usage 1001',
    'account usage 1001 --from 2026-11-01 --to 2026-12-01 --json',
  ])
    .argument('<account>', 'its id')
    .option('--from <day>', 'the first day, in UTC (default: 30 days before --to)', day)
    .option('--to <day>', 'the day after the last one (default: tomorrow)', day)
    .action(async (id: string, options: { from?: string; to?: string }, command: Command) => {
      const database = await session.connect(STATEMENT_TIMEOUT_MS);
      const { currency } = await findAccount(database, id);
      const to = options.to ?? dayOf(Date.now() + DAY_MS);
      const from = options.from ?? dayOf(Date.parse(to) - DAYS_SHOWN * DAY_MS);
      const { lines, countedUntil } = await accountUsage(database, id, from, to);
      const shown = lines.map((line) => ({ ...line, amount: formatMicros(line.amount), currency }));
      session.print(command, {
        json: { accountId: id, from, to, countedUntil: countedUntil ?? null, lines: shown },
        text: table(
          ['day', 'destination', 'status', '>messages', '>segments', '>amount', 'currency'],
          shown.map((line) => [
            line.day,
            line.destination,
            line.state,
            line.messages,
            line.segments,
            line.amount,
            line.currency,
          ]),
          'Nothing was sent on these days.',
        ),
      });
    });
}

function day(text: string): string {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || Number.isNaN(Date.parse(text))) {
    throw new InvalidArgumentError('A day is written as 2026-11-20.');
  }
  return text;
}

function dayOf(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, 'YYYY-MM-DD'.length);
}
