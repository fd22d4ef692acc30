import type { Command } from 'commander';
import { count } from '../arguments.js';
import { addCommand } from '../command.js';
import type { Session } from '../session.js';
import { moment, table } from '../text.js';

const SHOWN_MAX = 100;

export function addReceiptCommands(receipts: Command, session: Session): void {
  addCommand(receipts, 'unmatched', 'list receipts for messages that are not known, newest first', [
    'receipts unmatched',
    'receipts unmatched --limit 1000 --json',
  ])
    // The name of this command before 0.2.0.
    .alias('orphans')
    .option('--limit <n>', 'how many at most', count, SHOWN_MAX)
    .action(async ({ limit }: { limit: number }, command: Command) => {
      const unmatched = await session.items('receipts.unmatched', {}, limit);
      session.print(command, {
        json: unmatched,
        text: table(
          ['received', 'carrier', 'carrier id', 'recipient', 'state', 'code', '>reference'],
          unmatched.map((one) => [
            moment(one.receivedAt),
            one.carrier,
            one.carrierMessageId,
            one.destination,
            one.state,
            one.code,
            one.reference,
          ]),
          'Every receipt has its message.',
        ),
      });
    });
}
