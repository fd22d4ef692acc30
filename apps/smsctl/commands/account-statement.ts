import type { Command } from 'commander';
import { formatMicros } from '#billing';
import { type AccountStatement, accountStatement } from '#persistence';
import { instant } from '../arguments.js';
import { addCommand, wrongUsage } from '../command.js';
import type { Answer, Session } from '../session.js';
import { moment, table } from '../text.js';

/** A statement reads the whole journal of an account. */
const STATEMENT_TIMEOUT_MS = 120_000;

export function addStatement(account: Command, session: Session): void {
  addCommand(account, 'statement', 'show what changed the balance of an account, by day (UTC) and kind', [
    'account statement 1001',
    'account statement 1001 --from 2026-11-01T00:00:00Z --to 2026-12-01T00:00:00Z --json',
  ])
    .argument('<account>', 'its id')
    .option('--from <time>', 'only entries at or after it; what was before is the opening balance', instant)
    .option('--to <time>', 'only entries before it', instant)
    .action(async (id: string, { from, to }: { from?: Date; to?: Date }, command: Command) => {
      if (from !== undefined && to !== undefined && from > to) wrongUsage(command, '--from is after --to');
      const database = await session.connect(STATEMENT_TIMEOUT_MS);
      session.print(command, statementAnswer(await accountStatement(database, id, from, to)));
    });
}

function statementAnswer({ lines, opening, closing, ...statement }: AccountStatement): Answer {
  const { accountId, name, currency, from, to } = statement;
  let balance = opening;
  const rows = lines.map(({ change, ...line }) => {
    balance += change;
    return { ...line, change: formatMicros(change), balance: formatMicros(balance) };
  });
  const period = `from ${from === undefined ? 'its opening' : moment(from)} to ${to === undefined ? 'now' : moment(to)}`;
  return {
    json: {
      accountId,
      name,
      currency,
      from: from ?? null,
      to: to ?? null,
      opening: formatMicros(opening),
      lines: rows,
      closing: formatMicros(closing),
    },
    text: [
      `Account ${accountId} (${name}), ${period}, in ${currency}.`,
      `Opening balance: ${formatMicros(opening)}`,
      table(
        ['day', 'kind', '>entries', '>messages', '>change', '>balance'],
        // A capture moves money that was reserved before.
        rows
          .filter(({ kind }) => kind !== 'capture')
          .map(({ day, kind, entries, messages, change, balance: after }) => [
            day,
            kind,
            entries,
            messages === 0 ? '' : messages,
            change,
            after,
          ]),
        'No entries.',
      ),
      `Closing balance: ${formatMicros(closing)}`,
    ].join('\n\n'),
  };
}
