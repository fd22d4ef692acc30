import { createReadStream, existsSync } from 'node:fs';
import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CDR_LINES_MAX, counted, csvHeader, csvLine } from '#operations';
import { OperatorError } from '#persistence';
import { amountOrZero, currency, duration, instant } from '../arguments.js';
import { isTimePattern } from '../cdr/cdr-time.js';
import { type CdrMap, readCdr } from '../cdr/read-cdr.js';
import { readCsv } from '../cdr/read-csv.js';
import { defineCommand } from '../command.js';
import type { AnswerOf } from '../requests.js';
import type { Session } from '../session.js';
import { facts, moment, table } from '../text.js';

type Compared = AnswerOf<'reconcile.compare'>;
type Difference = AnswerOf<'reconcile.differences'>['data'][number];

interface Options {
  readonly carrier: string;
  readonly id: string;
  readonly parts?: string;
  readonly cost?: string;
  readonly time?: string;
  readonly header: boolean;
  readonly delimiter: string;
  readonly decimal: 'point' | 'comma';
  readonly timeFormat: string;
  readonly zone: number;
  readonly idFormat?: 'as-is' | 'hex-dec' | 'dec-hex';
  readonly currency?: string;
  readonly unitCost?: string;
  readonly tolerance?: string;
  readonly from?: Date;
  readonly to?: Date;
  readonly edge?: number;
  readonly output?: string;
}

export function defineReconcile(reconcile: Command, session: Session): void {
  defineCommand(reconcile, [
    'reconcile october.csv --carrier acme --id message_id --cost price --currency EUR --time sent_at',
    'reconcile cdr.txt --carrier acme --no-header --delimiter ";" --id 3 --parts 5 --cost 6 --decimal comma --time 1 --time-format "DD.MM.YYYY HH:mm:ss" --zone +01:00 --output differences.csv',
    'reconcile - --carrier acme --id 1 --from 2026-10-01T00:00:00Z --to 2026-11-01T00:00:00Z < october.csv',
  ])
    .argument('<file>', "the carrier's records as CSV; - for standard input")
    .requiredOption('--carrier <name>', 'whose records they are')
    .requiredOption('--id <column>', "the column with the carrier's message id, by its name or its number from 1")
    .option('--parts <column>', 'the column with the segments of a line (default: one each)')
    .option('--cost <column>', 'the column with the charge of a line')
    .option('--time <column>', 'the column with the time: its first and its last one are the period')
    .option('--no-header', 'the first line is a record')
    .option('--delimiter <character>', 'between columns; tab for a tab', delimiter, ',')
    .addOption(new Option('--decimal <sign>', 'of charges').choices(['point', 'comma']).default('point'))
    .option('--time-format <format>', 'iso, unix, unix-ms, or a pattern as "DD.MM.YYYY HH:mm:ss"', timeFormat, 'iso')
    .option('--zone <offset>', 'of times that do not name it, e.g. +01:00', zone, 0)
    .addOption(
      new Option('--id-format <format>', 'how it writes ids here, as for receipts').choices([
        'as-is',
        'hex-dec',
        'dec-hex',
      ]),
    )
    .option('--currency <code>', 'of the charges', currency)
    .option('--unit-cost <amount>', 'what a segment ought to cost (default: the costs of the carrier)', amountOrZero)
    .option('--tolerance <amount>', 'by how much the charge for a segment may differ', amountOrZero)
    .option('--from <time>', 'the first moment of the period', instant)
    .option('--to <time>', 'the moment after the last one', instant)
    .option('--edge <duration>', 'messages so near to the ends of the period may be missing (default: 5m)', duration)
    .option('--output <file>', 'where to write the differences, as CSV')
    .action(async (file: string, options: Options, command: Command) => {
      const { output: path } = options;
      const isNew = path !== undefined && !existsSync(path);
      const output = path === undefined ? undefined : await openOutput(path, file);
      try {
        const compared = await compare(session, file, options);
        const { reconciliationId } = compared;
        const shown = await writeDifferences(session, reconciliationId, output).finally(() =>
          session.call('reconcile.remove', { reconciliationId }),
        );
        session.print(command, {
          json: compared,
          text: comparedText(compared, shown, path),
          isFailure: !compared.agrees,
        });
      } catch (error) {
        if (isNew) await rm(path, { force: true });
        throw error;
      } finally {
        await output?.close();
      }
    });
}

/**
 * Opens the file before anything is compared, which may take minutes. What it holds stays until there are differences
 * to write; a new one is removed if there never are.
 */
async function openOutput(path: string, recordsFile: string): Promise<FileHandle> {
  const output = await open(path, 'a');
  const isInput = recordsFile === '-';
  const records = await stat(isInput ? '/dev/stdin' : recordsFile).catch(() => undefined);
  const { dev, ino } = await output.stat();
  if (!records?.isFile() || records.dev !== dev || records.ino !== ino) return output;
  await output.close();
  const source = isInput ? 'standard input' : recordsFile;
  throw new OperatorError(`--output must be another file than ${source}, which has the carrier's records`);
}

async function compare(session: Session, file: string, options: Options): Promise<Compared> {
  const { carrier, currency: code, unitCost, tolerance, from, to, edge, idFormat } = options;
  const { reconciliationId } = await session.call('reconcile', {
    carrier,
    currency: code,
    unitCost,
    tolerance,
    from: from?.toISOString(),
    to: to?.toISOString(),
    edgeSeconds: edge,
  });
  let lines = 0;
  try {
    for await (const chunk of readCdr(readCsv(partsOf(file), options.delimiter), mapOf(options), CDR_LINES_MAX)) {
      lines += (await session.call('reconcile.add', { reconciliationId, idFormat, ...chunk })).lines;
    }
    const compared = await session.call('reconcile.compare', { reconciliationId });
    // The table of lines is unlogged: a PostgreSQL that recovers from a crash empties it.
    if (compared.lines === lines) return compared;
    throw new OperatorError(`the database has lost lines of the file, as in a crash (${lines}, now ${compared.lines})`);
  } catch (error) {
    // What was added is of no use; the first failure is the one to tell.
    await session.call('reconcile.remove', { reconciliationId }).catch(() => undefined);
    throw error;
  }
}

async function* partsOf(file: string): AsyncGenerator<string> {
  const source = file === '-' ? process.stdin.setEncoding('utf8') : createReadStream(file, 'utf8');
  try {
    for await (const part of source) yield part as string;
  } catch (error) {
    throw new OperatorError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function mapOf({ id, parts, cost, time, header, decimal, timeFormat: pattern, zone: zoneMinutes }: Options): CdrMap {
  return { id, parts, cost, time, hasHeader: header, decimal, timeFormat: { pattern, zoneMinutes } };
}

const SHOWN_MAX = 20;
const COLUMNS: readonly (keyof Difference)[] = [
  'kind',
  'firstLine',
  'lines',
  'carrierMessageId',
  'messageId',
  'accountId',
  'destination',
  'sentAt',
  'sentSegments',
  'chargedSegments',
  'billed',
  'billedCurrency',
  'expectedCost',
  'chargedCost',
];
const FREE = new Set(['carrierMessageId']);
const PAGE_ITEMS = 1_000;

/** Writes all of them, page by page, and hands back the first ones; without a file only those are read. */
async function writeDifferences(
  session: Session,
  reconciliationId: string,
  file: FileHandle | undefined,
): Promise<readonly Difference[]> {
  const shown: Difference[] = [];
  // A terminal or a pipe cannot be emptied.
  if ((await file?.stat())?.isFile()) await file?.truncate();
  await file?.appendFile(csvHeader(COLUMNS));
  let cursor: string | undefined;
  do {
    const limit = file === undefined ? SHOWN_MAX : PAGE_ITEMS;
    const page: AnswerOf<'reconcile.differences'> = await session.call('reconcile.differences', {
      reconciliationId,
      limit,
      cursor,
    });
    if (shown.length === 0) shown.push(...page.data.slice(0, SHOWN_MAX));
    await file?.appendFile(page.data.map((one) => csvLine(one, COLUMNS, FREE)).join(''));
    cursor = page.next ?? undefined;
  } while (file !== undefined && cursor !== undefined);
  return shown;
}

const KINDS: Readonly<Record<string, string>> = {
  equal: 'both sides agree',
  missing: 'we sent it, no line has it',
  extra: 'a line has it, we do not know it',
  doubled: 'charged more than once',
  segments: 'another number of segments',
  cost: 'another cost',
  refunded: 'charged, and refunded to the client',
  edge: 'ours, near the ends of the period, no line has it',
};

function comparedText(compared: Compared, shown: readonly Difference[], output: string | undefined): string {
  const { from, to, kinds, billed, withoutCost, differences, lines } = compared;
  return [
    table(
      ['kind', '>ids', '>lines', '>sent', '>charged', '>expected cost', '>charged cost', 'what it is'],
      kinds.map((one) => [
        one.kind,
        one.ids,
        one.lines,
        one.sentSegments,
        one.chargedSegments,
        one.expectedCost,
        one.chargedCost,
        KINDS[one.kind],
      ]),
      'Nothing was compared.',
    ),
    facts([
      ['period', `${moment(from)} to ${moment(to)}`],
      ['billed to clients', billed.map(({ amount, currency: code }) => `${amount} ${code}`).join(', ') || '0'],
      ['segments sent', compared.sentSegments],
      ['segments charged', compared.chargedSegments],
      ['expected cost', compared.expectedCost],
      ['charged cost', compared.chargedCost],
      ...(withoutCost > 0 ? ([['without a known cost', withoutCost]] as const) : []),
    ]),
    ...(shown.length === 0
      ? []
      : [
          table(
            ['kind', '>line', 'carrier id', 'message', '>sent', '>charged', '>expected', '>cost'],
            shown.map((one) => [
              one.kind,
              one.firstLine,
              one.carrierMessageId,
              one.messageId,
              one.sentSegments,
              one.chargedSegments,
              one.expectedCost,
              one.chargedCost,
            ]),
            '',
          ),
        ]),
    differences === 0
      ? `${counted(lines, 'line')}: nothing differs.`
      : `${counted(lines, 'line')}: ${counted(differences, 'difference')}${differences > shown.length ? ` (${shown.length} shown)` : ''}${output === undefined ? '' : `, in ${output}`}.`,
  ].join('\n\n');
}

function delimiter(text: string): string {
  if (text === 'tab') return '\t';
  if (text.length !== 1 || text === '"') throw new InvalidArgumentError('It must be one character, or tab.');
  return text;
}

function timeFormat(text: string): string {
  if (!isTimePattern(text)) {
    throw new InvalidArgumentError('It must be iso, unix, unix-ms, or a pattern with YYYY, MM and DD.');
  }
  return text;
}

/** Minutes east of UTC. */
function zone(text: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(text === 'Z' ? '+00:00' : text) ?? [];
  if (sign === undefined) throw new InvalidArgumentError('A zone is written as +01:00.');
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
