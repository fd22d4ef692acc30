import { type Command, InvalidArgumentError } from 'commander';
import { counted } from '#operations';
import { addCommand, wrongUsage } from '../command.js';
import type { AnswerOf } from '../requests.js';
import type { Session } from '../session.js';
import { facts, moment } from '../text.js';

export function addRetentionCommands(retention: Command, session: Session): void {
  addCommand(retention, 'show', 'show how long texts and messages are kept, and what has been dropped', [
    'retention show',
    'retention show --json',
  ]).action((_options, command: Command) => session.show(command, 'retention.show', {}, retentionText));

  addCommand(
    retention,
    'set',
    'set how long texts and messages are kept after a message is final; workers follow within a minute',
    ['retention set --texts 30', 'retention set --texts 30 --rows 365', 'retention set --rows off'],
  )
    .option('--texts <days>', 'drop the text of a message after so many days, or off', daysOrOff)
    .option('--rows <days>', 'drop a message after so many days, or off; its money stays in every total', daysOrOff)
    .action(async (options: { texts?: Days; rows?: Days }, command: Command) => {
      if (options.texts === undefined && options.rows === undefined) {
        wrongUsage(command, 'nothing to set: give --texts DAYS, --rows DAYS, or off for either');
      }
      const wanted = { textDays: daysOf(options.texts), rowDays: daysOf(options.rows) };
      await session.show(command, 'retention.set', wanted, retentionText);
    });
}

type Days = number | 'off';

function daysOf(given: Days | undefined): number | null | undefined {
  return given === 'off' ? null : given;
}

function retentionText(retention: AnswerOf<'retention.show'>): string {
  return facts([
    ['Texts', kept(retention.textDays)],
    ['Messages', kept(retention.rowDays)],
    ['Texts dropped', retention.droppedTexts],
    ['Messages dropped', retention.droppedMessages],
    ['Last dropped', moment(retention.lastDroppedAt)],
  ]);
}

function kept(days: number | null): string {
  return days === null ? 'kept' : `dropped ${counted(days, 'day')} after the message is final`;
}

function daysOrOff(text: string): Days {
  if (text === 'off') return text;
  if (!/^[1-9][0-9]{0,4}$/.test(text)) throw new InvalidArgumentError('It must be a number of days, or off.');
  return Number(text);
}
