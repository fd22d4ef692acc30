import type { Command } from 'commander';
import { instant } from '../arguments.js';
import { addCommand, wrongUsage } from '../command.js';
import type { AnswerOf } from '../requests.js';
import type { Session } from '../session.js';
import { moment, table } from '../text.js';

export function addStatement(account: Command, session: Session): void {
  addCommand(account, 'statement', 'show what changed the balance of an account, by day (UTC) and kind', [
    'account statement 1001',
    'account statement 1001 --from 2026-11-01T00:00:00Z --to 2026-12-01T00:00:00Z --json',
  ])
    .argument('<account>', 'its id')
    .option('--from <time>', 'only entries at or after it; what was before is the opening balance', instant)
    .option('--to <time>', 'only entries before it', instant)
    .action(async (accountId: string, { from, to }: { from?: Date; to?: Date }, command: Command) => {
      if (from !== undefined && to !== undefined && from > to) wrongUsage(command, '--from is after --to');
      const period = { from: from?.toISOString(), to: to?.toISOString() };
      await session.show(command, 'account.statement', { accountId, ...period }, statementText);
    });
}

function statementText(statement: AnswerOf<'account.statement'>): string {
  const { accountId, name, currency, from, to, opening, lines, closing } = statement;
  const period = `from ${from === null ? 'its opening' : moment(from)} to ${to === null ? 'now' : moment(to)}`;
  return [
    `Account ${accountId} (${name}), ${period}, in ${currency}.`,
    `Opening balance: ${opening}`,
    table(
      ['day', 'kind', '>entries', '>messages', '>change', '>balance'],
      // A capture moves money that was reserved before.
      lines
        .filter(({ kind }) => kind !== 'capture')
        .map(({ day, kind, entries, messages, change, balance }) => [
          day,
          kind,
          entries,
          messages === 0 ? '' : messages,
          change,
          balance,
        ]),
      'No entries.',
    ),
    `Closing balance: ${closing}`,
  ].join('\n\n');
}
