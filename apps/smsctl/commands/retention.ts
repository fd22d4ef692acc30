import { type Command, InvalidArgumentError } from 'commander';
import {
  type Database,
  type RetentionProgress,
  type RetentionSettings,
  readRetention,
  retentionProgress,
  setRetention,
} from '#persistence';
import { addCommand, wrongUsage } from '../command.js';
import type { Answer, Session } from '../session.js';
import { counted, facts, moment } from '../text.js';

export function addRetentionCommands(retention: Command, session: Session): void {
  addCommand(retention, 'show', 'show how long texts and messages are kept, and what has been dropped', [
    'retention show',
    'retention show --json',
  ]).action((_options, command: Command) =>
    session.answer(command, async (database) => answerOf(database, await readRetention(database))),
  );

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
      await session.answer(command, async (database) =>
        answerOf(
          database,
          await setRetention(database, { textDays: daysOf(options.texts), rowDays: daysOf(options.rows) }),
        ),
      );
    });
}

type Days = number | 'off';

function daysOf(given: Days | undefined): number | null | undefined {
  return given === 'off' ? null : given;
}

async function answerOf(database: Database, settings: RetentionSettings): Promise<Answer> {
  const progress = await retentionProgress(database);
  return { json: jsonOf(settings, progress), text: textOf(settings, progress) };
}

function jsonOf({ textDays, rowDays }: RetentionSettings, progress: RetentionProgress): Record<string, unknown> {
  return {
    textDays: textDays ?? null,
    rowDays: rowDays ?? null,
    droppedTexts: Number(progress.droppedTexts),
    droppedMessages: Number(progress.droppedMessages),
    lastDroppedAt: progress.lastDroppedAt ?? null,
  };
}

function textOf({ textDays, rowDays }: RetentionSettings, progress: RetentionProgress): string {
  return facts([
    ['Texts', kept(textDays)],
    ['Messages', kept(rowDays)],
    ['Texts dropped', String(progress.droppedTexts)],
    ['Messages dropped', String(progress.droppedMessages)],
    ['Last dropped', moment(progress.lastDroppedAt)],
  ]);
}

function kept(days: number | undefined): string {
  return days === undefined ? 'kept' : `dropped ${counted(days, 'day')} after the message is final`;
}

function daysOrOff(text: string): Days {
  if (text === 'off') return text;
  if (!/^[1-9][0-9]{0,4}$/.test(text)) throw new InvalidArgumentError('It must be a number of days, or off.');
  return Number(text);
}
