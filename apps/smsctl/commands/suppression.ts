import type { Command } from 'commander';
import { counted } from '#operations';
import { addCommand } from '../command.js';
import type { Session } from '../session.js';
import { moment, printable, table } from '../text.js';

/** Numbers to which an account must send nothing; they are kept as hashes. */
export function addSuppressionCommands(suppression: Command, session: Session): void {
  addCommand(suppression, 'add', 'put a number on the list of an account, and cancel what waits for it', [
    'suppression add 1001 +447700900123 --reason "letter of 12 May"',
  ])
    .argument('<account>', 'its id')
    .argument('<number>', 'with its country code')
    .option('--reason <text>', 'why; the client can read it')
    .action((accountId: string, number: string, { reason }: { reason?: string }, command: Command) =>
      session.show(command, 'suppression.add', { accountId, number, reason }, ({ isNew, canceled }) => {
        const added = isNew ? 'It is on the list.' : 'It was on the list already.';
        return canceled === 0 ? added : `${added} ${counted(canceled, 'message is', 'messages are')} canceled.`;
      }),
    );

  addCommand(suppression, 'remove', 'take a number off the list of an account', [
    'suppression remove 1001 +447700900123',
  ])
    .argument('<account>', 'its id')
    .argument('<number>', 'with its country code')
    .action((accountId: string, number: string, _options, command: Command) =>
      session.show(command, 'suppression.remove', { accountId, number }, ({ isRemoved }) =>
        isRemoved ? 'It is no longer on the list.' : 'It was not on the list.',
      ),
    );

  addCommand(suppression, 'list', 'list the newest entries of an account, or look for a number', [
    'suppression list 1001',
    'suppression list 1001 +447700900123',
  ])
    .argument('<account>', 'its id')
    .argument('[number]', 'with its country code')
    .action((accountId: string, number: string | undefined, _options, command: Command) =>
      session.show(command, 'suppression.list', { accountId, number }, ({ data }) =>
        table(
          ['hash of the number', 'since', 'by', 'reason'],
          data.map(({ id, createdAt, source, reason }) => [id, moment(createdAt), source, printable(reason ?? '')]),
          number === undefined ? 'The list is empty.' : 'The number is not on the list.',
        ),
      ),
    );
}
