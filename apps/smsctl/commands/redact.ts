import type { Command } from 'commander';
import { counted } from '#operations';
import { addCommand } from '../command.js';
import type { Session } from '../session.js';

/** Removes texts and numbers before their time; money, states and opt-outs stay. */
export function addRedactCommands(redact: Command, session: Session): void {
  addCommand(redact, 'message', 'remove the text and the number of one message, sent or received', [
    'redact message 019a3f1e-5c1b-7c3e-9d55-0c8e6f1a2b3c',
  ])
    .argument('<id>', 'its id')
    .action((id: string, _options, command: Command) =>
      session.show(command, 'redact.message', { id }, ({ outcome }) =>
        outcome === 'redacted' ? 'It is redacted.' : 'It is on its way, and is redacted as soon as it is final.',
      ),
    );

  addCommand(redact, 'number', 'remove a number and its texts from all messages of an account until now', [
    'redact number 1001 +447700900123',
  ])
    .argument('<account>', 'its id')
    .argument('<number>', 'with its country code')
    .action((accountId: string, number: string, _options, command: Command) =>
      session.show(command, 'redact.number', { accountId, number }, ({ sent, later, received, isOver }) => {
        const done = `Redacted: ${counted(sent, 'message')} that ${sent === 1 ? 'was' : 'were'} sent, ${received} received.`;
        const waiting = later === 0 ? '' : ` ${counted(later, 'message')} on the way: redacted when final.`;
        return `${done}${waiting}${isOver ? '' : ' There are more; workers go on.'}`;
      }),
    );
}
