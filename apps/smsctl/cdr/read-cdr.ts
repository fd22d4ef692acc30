import { formatMicros, MoneyError, parseMicros } from '#billing';
import { OperatorError } from '#persistence';
import { type CdrTimeFormat, parseCdrTime } from './cdr-time.js';
import type { CsvRecord } from './read-csv.js';

/** Which column has what, by its name in the header or by its number from 1. */
export interface CdrMap {
  readonly id: string;
  readonly parts?: string | undefined;
  readonly cost?: string | undefined;
  readonly time?: string | undefined;
  readonly hasHeader: boolean;
  readonly decimal: 'point' | 'comma';
  readonly timeFormat: CdrTimeFormat;
}

/** Lines that follow each other, as columns. */
export interface CdrChunk {
  readonly lines: number[];
  readonly ids: string[];
  readonly parts?: number[];
  readonly costs?: string[];
  readonly times?: string[];
}

/** Where a sign stands elsewhere than between thousands, the file has another decimal sign: 0,0040 is not 40. */
const WITH_THOUSANDS = /^-?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/;

type Field = 'id' | 'parts' | 'cost' | 'time';

/**
 * The lines of a carrier's records, so many at a time.
 *
 * @throws OperatorError naming the line and the column that cannot be read
 */
export async function* readCdr(
  records: AsyncIterable<CsvRecord>,
  map: CdrMap,
  linesMax: number,
): AsyncGenerator<CdrChunk> {
  let places: ReadonlyMap<Field, number> | undefined = map.hasHeader ? undefined : placesOf(map, undefined);
  let chunk = emptyChunk(map);
  for await (const record of records) {
    if (places === undefined) {
      places = placesOf(
        map,
        record.cells.map((cell) => cell.replace(/^\ufeff/, '')),
      );
      continue;
    }
    add(chunk, record, places, map);
    if (chunk.lines.length < linesMax) continue;
    yield chunk;
    chunk = emptyChunk(map);
  }
  if (chunk.lines.length > 0) yield chunk;
}

function emptyChunk({ parts, cost, time }: CdrMap): CdrChunk {
  return {
    lines: [],
    ids: [],
    ...(parts !== undefined && { parts: [] }),
    ...(cost !== undefined && { costs: [] }),
    ...(time !== undefined && { times: [] }),
  };
}

function placesOf(map: CdrMap, header: readonly string[] | undefined): Map<Field, number> {
  const places = new Map<Field, number>();
  for (const field of ['id', 'parts', 'cost', 'time'] as const) {
    const wanted = map[field];
    if (wanted === undefined) continue;
    const named = header?.indexOf(wanted) ?? -1;
    const place = named >= 0 ? named : /^[1-9]\d{0,3}$/.test(wanted) ? Number(wanted) - 1 : -1;
    if (place < 0) {
      throw new OperatorError(
        header === undefined
          ? `--${field} is a column's number: the file has no header`
          : `the file has no column "${wanted}"; it has ${header.join(', ')}`,
      );
    }
    places.set(field, place);
  }
  return places;
}

function add(chunk: CdrChunk, { line, cells }: CsvRecord, places: ReadonlyMap<Field, number>, map: CdrMap): void {
  const cell = (field: Field): string => {
    const text = cells[places.get(field) ?? -1];
    if (text === undefined || text === '')
      throw new OperatorError(`line ${line} has nothing in the column of --${field}`);
    return text;
  };
  chunk.lines.push(line);
  chunk.ids.push(cell('id'));
  chunk.parts?.push(partsOf(cell, line));
  chunk.costs?.push(costOf(cell, line, map.decimal));
  chunk.times?.push(timeOf(cell, line, map.timeFormat));
}

function partsOf(cell: (field: Field) => string, line: number): number {
  const text = cell('parts');
  if (!/^\d{1,3}$/.test(text)) throw new OperatorError(`line ${line}: "${text}" is no number of segments`);
  return Number(text);
}

function costOf(cell: (field: Field) => string, line: number, decimal: CdrMap['decimal']): string {
  const text = cell('cost');
  const pointed = decimal === 'point' ? text : text.replaceAll(/[.,]/g, (sign) => (sign === ',' ? '.' : ','));
  try {
    return exact(WITH_THOUSANDS.test(pointed) ? pointed.replaceAll(',', '') : pointed);
  } catch (error) {
    if (!(error instanceof MoneyError)) throw error;
    throw new OperatorError(`line ${line}: "${text}" is no amount with a decimal ${decimal}: ${error.message}`);
  }
}

/** To the micro-unit: some carriers charge finer, or write zeros behind the sixth decimal. */
function exact(plain: string): string {
  const [, sign, kept, next] = /^(-?)(\d+\.\d{6})(\d)\d*$/.exec(plain) ?? [];
  if (kept === undefined || next === undefined) return formatMicros(parseMicros(plain));
  const micros = parseMicros(kept) + (next >= '5' ? 1n : 0n);
  return formatMicros(sign === '-' ? -micros : micros);
}

function timeOf(cell: (field: Field) => string, line: number, format: CdrTimeFormat): string {
  const text = cell('time');
  const at = parseCdrTime(text, format);
  if (at === undefined) throw new OperatorError(`line ${line}: "${text}" is no time as --time-format says`);
  return at.toISOString();
}
