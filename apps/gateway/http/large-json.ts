import { type FieldArray, JsonStructure } from './json-structure.js';
import type { Slices } from './slices.js';

export interface LargeJsonLimits {
  readonly valuesMax: number;
  /** Of an entry, and of all that is beside the entries: what is parsed at once. */
  readonly entryBytesMax: number;
  /** As much is scanned, or parsed if it is whole entries, between two looks at the clock. */
  readonly stepBytes: number;
}

/** Parts of a document are larger than they may be, so it is not parsed. */
export class PartsTooLarge {
  /** @param entries those that are, with the names of their arrays; none: it is what is beside the entries */
  constructor(readonly entries: readonly { readonly array: string; readonly position: number }[]) {}
}

/** Why a document is not parsed. */
export type LargeJsonFault = 'too_many_values' | 'too_deep' | 'no_object' | 'malformed';

/**
 * Parses a JSON object in UTF-8 with an array of many entries in slices; at the end it is what JSON.parse makes of all
 * at once. The entries of an array that is a field of the object are parsed some at a time, and before them the
 * document without these entries: both are valid exactly if the whole is.
 *
 * @param parse parses a text as JSON.parse does, and throws where it is none
 */
export async function parseInSlices(
  json: Buffer,
  { valuesMax, entryBytesMax, stepBytes }: LargeJsonLimits,
  parse: (text: string) => unknown,
  slices: Slices,
): Promise<object | LargeJsonFault | PartsTooLarge> {
  const structure = new JsonStructure(json);
  for (let to = stepBytes; !structure.isAtEnd; to += stepBytes) {
    structure.scan(to, valuesMax);
    if (structure.isTooDeep) return 'too_deep';
    if (structure.values > valuesMax) return 'too_many_values';
    if (slices.isOver) await slices.pause();
  }
  if (!structure.isBalanced) return 'malformed';
  if (!structure.isObject) return 'no_object';
  const tooLarge = partsOver(entryBytesMax, json, structure.arrays);
  if (tooLarge !== undefined) return tooLarge;

  const document = parse(withoutEntries(json, structure.arrays)) as Record<string, unknown[]>;
  for (const array of structure.arrays) {
    const name = JSON.parse(json.toString('utf8', array.nameBegin, array.nameEnd)) as string;
    const entries = document[name];
    const steps = stepsOf(array, stepBytes);
    for (const [begin, end] of steps) {
      if (slices.isOver) await slices.pause();
      const parsed = parse(`[${json.toString('utf8', begin, end)}]`) as unknown[];
      // What JSON.parse refuses as well: nothing between two commas, or after the last one.
      if (parsed.length === 0 && steps.length > 1) return 'malformed';
      for (const entry of parsed) entries?.push(entry);
    }
  }
  return document;
}

/** The parts with more bytes than that; undefined if there are none. */
function partsOver(bytesMax: number, json: Buffer, arrays: readonly FieldArray[]): PartsTooLarge | undefined {
  let beside = json.length;
  const entries: { array: string; position: number }[] = [];
  for (const { nameBegin, nameEnd, begin, end, commas } of arrays) {
    beside -= end - begin;
    let from = begin;
    for (const [position, to] of [...commas, end].entries()) {
      if (to - from > bytesMax) entries.push({ array: json.toString('utf8', nameBegin + 1, nameEnd - 1), position });
      from = to;
    }
  }
  return entries.length > 0 || beside > bytesMax ? new PartsTooLarge(entries) : undefined;
}

function withoutEntries(json: Buffer, arrays: readonly FieldArray[]): string {
  let text = '';
  let from = 0;
  for (const { begin, end } of arrays) {
    text += json.toString('utf8', from, begin);
    from = end;
  }
  return text + json.toString('utf8', from);
}

/** Where each step begins and ends: some entries with the commas between them. */
function stepsOf({ begin, end, commas }: FieldArray, stepBytes: number): [begin: number, end: number][] {
  const steps: [number, number][] = [];
  let from = begin;
  for (const comma of commas) {
    if (comma - from < stepBytes) continue;
    steps.push([from, comma]);
    from = comma + 1;
  }
  steps.push([from, end]);
  return steps;
}
