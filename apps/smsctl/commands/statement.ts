import { writeFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { counted } from '#operations';
import { month } from '../arguments.js';
import { defineCommand, wrongUsage } from '../command.js';
import type { AnswerOf } from '../requests.js';
import type { Session } from '../session.js';
import { facts, moment, table } from '../text.js';

type Statement = AnswerOf<'statement'>;

export function defineStatement(statement: Command, session: Session): void {
  defineCommand(statement, [
    'statement 1001 --month 2026-10',
    'statement 1001 --month 2026-10 --format csv > october.csv',
    'statement 1001 --month 2026-10 --format html --output october.html',
  ])
    .argument('<account>', 'its id')
    .requiredOption('--month <month>', 'from midnight to midnight in UTC, e.g. 2026-10', month)
    .option('--format <format>', 'csv for spreadsheets, or html, a page to print', fileFormat)
    .option('--output <file>', 'where to write it; else it is printed')
    .action(async (accountId: string, options: Options, command: Command) => {
      const wanted = { accountId, month: options.month };
      if (options.format === undefined && options.output !== undefined) {
        wrongUsage(command, '--output needs --format csv or --format html');
      }
      if (options.format !== undefined && options.output === undefined && options.json === true) {
        wrongUsage(command, '--format and --json are two forms: give one of them, or --output as well');
      }
      if (options.format === undefined) return session.show(command, 'statement', wanted, statementText);
      const { name, text } = await session.call('statement.file', { ...wanted, format: options.format });
      if (options.output === undefined) return void process.stdout.write(text);
      await writeFile(options.output, text);
      session.print(command, { json: { name, output: options.output }, text: `Wrote ${options.output}.` });
    });
}

interface Options {
  readonly month: string;
  readonly format?: 'csv' | 'html';
  readonly output?: string;
  readonly json?: true;
}

function fileFormat(text: string): 'csv' | 'html' {
  if (text !== 'csv' && text !== 'html') throw new InvalidArgumentError('It must be csv or html.');
  return text;
}

function statementText(statement: Statement): string {
  const { accountId, name, currency, month: ofMonth, isFinal, opening, totals, closing, notItemised } = statement;
  const head = `Account ${accountId} (${name}), ${ofMonth} in UTC, in ${currency}${isFinal ? '' : ' (provisional)'}.`;
  return [
    head,
    facts([
      ['opening balance', opening],
      ['deposits', totals.deposits],
      ['corrections', totals.adjustments],
      ['messages', totals.charges],
      ['refunds', totals.refunds],
      [isFinal ? 'closing balance' : 'balance so far', closing],
      ...(notItemised === '0' ? [] : ([['messages without a line', notItemised]] as const)),
    ]),
    ...linesText('deposit', statement.deposits.length, () =>
      table(
        ['time', 'reference', '>paid', 'in', '>booked'],
        statement.deposits.map(({ at, reference, amount, currency: paidIn, booked }) => [
          moment(at),
          reference,
          amount,
          paidIn,
          booked,
        ]),
        '',
      ),
    ),
    ...linesText('correction', statement.adjustments.length, () =>
      table(
        ['time', 'reason', '>amount'],
        statement.adjustments.map(({ at, reason, amount }) => [moment(at), reason, amount]),
        '',
      ),
    ),
    ...linesText('charge', statement.charges.length, () =>
      table(
        ['day', 'destination', 'country', '>messages', '>segments', '>price', '>amount'],
        statement.charges.map(({ day, destination, country, messages, segments, unitPrice, amount }) => [
          day,
          `+${destination}`,
          country,
          messages,
          segments,
          unitPrice,
          amount,
        ]),
        '',
      ),
    ),
    ...linesText('refund', statement.refunds.length, () =>
      table(
        ['day', '>messages', '>amount'],
        statement.refunds.map(({ day, messages, amount }) => [day, messages, amount]),
        '',
      ),
    ),
  ].join('\n\n');
}

/** The lines of a kind below its name; nothing where there are none. */
function linesText(kind: string, count: number, lines: () => string): string[] {
  return count === 0 ? [] : [`${counted(count, kind)}:\n${lines()}`];
}
