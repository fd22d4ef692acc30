import type { Command } from 'commander';
import { currency, exchangeRate } from '../arguments.js';
import { addCommand } from '../command.js';
import type { Session } from '../session.js';
import { moment, table } from '../text.js';

export function addFxCommands(fx: Command, session: Session): void {
  addCommand(fx, 'set', 'set a rate for deposits from now on; those that are booked keep theirs', [
    'fx set USD EUR 0.9215',
  ])
    .argument('<from>', 'currency paid in', currency)
    .argument('<to>', 'currency of the account', currency)
    .argument('<rate>', 'how many units of <to> one unit of <from> is', exchangeRate)
    .action((from: string, to: string, rate: string, _options, command: Command) =>
      session.show(
        command,
        'fx.set',
        { from, to, rate },
        (set) => `1 ${set.from} is ${set.rate} ${set.to} from now on.`,
      ),
    );

  addCommand(fx, 'list', 'list the rates', ['fx list']).action((_options, command: Command) =>
    session.show(command, 'fx.list', {}, (rates) =>
      table(
        ['from', 'to', '>rate', 'set'],
        rates.map(({ from, to, rate, setAt }) => [from, to, rate, moment(setAt)]),
        'No rates.',
      ),
    ),
  );
}
