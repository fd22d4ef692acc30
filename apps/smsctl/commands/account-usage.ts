import { type Command, InvalidArgumentError } from 'commander';
import { isCalendarDay } from '#billing';
import { addCommand, wrongUsage } from '../command.js';
import type { Session } from '../session.js';
import { table } from '../text.js';

export function addUsage(account: Command, session: Session): void {
  addCommand(account, 'usage', 'what an account has sent, by day, destination and status', [
    'account usage 1001',
    'account usage 1001 --from 2026-11-01 --to 2026-12-01 --json',
  ])
    .argument('<account>', 'its id')
    .option('--from <day>', 'the first day, in UTC (default: 30 days before --to)', day)
    .option('--to <day>', 'the day after the last one (default: tomorrow)', day)
    .action((accountId: string, { from, to }: { from?: string; to?: string }, command: Command) => {
      if (from !== undefined && to !== undefined && from > to) wrongUsage(command, '--from is after --to');
      return session.show(command, 'account.usage', { accountId, from, to }, ({ lines }) =>
        table(
          ['day', 'destination', 'status', '>messages', '>segments', '>amount', 'currency'],
          lines.map((line) => [
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
      );
    });
}

function day(text: string): string {
  if (!isCalendarDay(text)) throw new InvalidArgumentError('A day is written as 2026-11-20, and must exist.');
  return text;
}
