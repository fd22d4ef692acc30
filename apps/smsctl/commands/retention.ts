import { type Command, InvalidArgumentError } from 'commander';
import { counted } from '#operations';
import { addCommand, wrongUsage } from '../command.js';
import type { AnswerOf } from '../requests.js';
import type { Session } from '../session.js';
import { facts, moment } from '../text.js';

type OfAccount = AnswerOf<'retention.show-account'>;

const DAYS = 'so many days; off: never; for an account also as-for-all';

interface Options {
  texts?: Days;
  numbers?: Days;
  rows?: Days;
}

export function addRetentionCommands(retention: Command, session: Session): void {
  addCommand(retention, 'show', 'show how long texts, numbers and messages are kept, and what has been dropped', [
    'retention show',
    'retention show 1001',
    'retention show --json',
  ])
    .argument('[account]', 'what holds for this account')
    .action((accountId: string | undefined, _options, command: Command) =>
      accountId === undefined
        ? session.show(command, 'retention.show', {}, retentionText)
        : session.show(command, 'retention.show-account', { accountId }, accountText),
    );

  addCommand(
    retention,
    'set',
    'set how long texts, numbers and messages are kept after a message is final; workers follow within a minute',
    [
      'retention set --texts 30',
      'retention set --texts 30 --numbers 90 --rows 365',
      'retention set --rows off',
      'retention set 1001 --texts 7',
      'retention set 1001 --texts as-for-all',
    ],
  )
    .argument('[account]', 'instead of what is set for all accounts')
    .option('--texts <days>', `drop the text of a message after ${DAYS}`, daysOrWord)
    .option('--numbers <days>', `redact the number of a message after ${DAYS}`, daysOrWord)
    .option('--rows <days>', 'drop a message after so many days, or off; its money stays in every total', daysOrWord)
    .action(async (accountId: string | undefined, options: Options, command: Command) => {
      const { texts, numbers, rows } = options;
      if (texts === undefined && numbers === undefined && rows === undefined) {
        wrongUsage(command, 'nothing to set: give --texts DAYS, --numbers DAYS, --rows DAYS, or off for one of them');
      }
      if (accountId === undefined) {
        if ([texts, numbers, rows].includes('as-for-all')) wrongUsage(command, 'as-for-all needs an account');
        const wanted = { textDays: daysOf(texts), numberDays: daysOf(numbers), rowDays: daysOf(rows) };
        await session.show(command, 'retention.set', wanted, retentionText);
        return;
      }
      if (rows !== undefined) wrongUsage(command, '--rows holds for all accounts');
      const wanted = { accountId, textDays: ownDaysOf(texts), numberDays: ownDaysOf(numbers) };
      await session.show(command, 'retention.set-account', wanted, accountText);
    });
}

type Days = number | 'off' | 'as-for-all';

function daysOf(given: Days | undefined): number | null | undefined {
  return typeof given === 'string' ? null : given;
}

function ownDaysOf(given: Days | undefined): number | null | undefined {
  return given === 'off' ? 0 : given === 'as-for-all' ? null : given;
}

function retentionText(retention: AnswerOf<'retention.show'>): string {
  return facts([
    ['Texts', kept(retention.textDays)],
    ['Numbers', kept(retention.numberDays, 'redacted')],
    ['Messages', kept(retention.rowDays)],
    ['Texts dropped', retention.droppedTexts],
    ['Numbers redacted', retention.redactedNumbers],
    ['Messages dropped', retention.droppedMessages],
    ['Last dropped', moment(retention.lastDroppedAt)],
    ['To redact when final', retention.waitingMessages],
    ['Open requests for numbers', retention.openRequests],
  ]);
}

function accountText({ textDays, numberDays, operators, owners }: OfAccount): string {
  return facts([
    ['Texts', kept(textDays)],
    ['Numbers', kept(numberDays, 'redacted')],
    ['Set for the account', `texts ${own(operators.textDays)}, numbers ${own(operators.numberDays)}`],
    ['Set by its owner', `texts ${own(owners.textDays)}, numbers ${own(owners.numberDays)}`],
  ]);
}

function kept(days: number | null, what = 'dropped'): string {
  return days === null ? 'kept' : `${what} ${counted(days, 'day')} after the message is final`;
}

function own(days: number | null): string {
  if (days === null) return 'as for all';
  return days === 0 ? 'kept' : counted(days, 'day');
}

function daysOrWord(text: string): Days {
  if (text === 'off' || text === 'as-for-all') return text;
  if (!/^[1-9][0-9]{0,4}$/.test(text)) throw new InvalidArgumentError('It must be a number of days from 1, or off.');
  return Number(text);
}
