import { type FieldArray, JsonStructure } from './json-structure.js';
import type { Slices } from './slices.js';

export interface LargeJsonLimits {
  readonly valuesMax: number;
  /** Of an entry, and of all that is beside the entries: what is parsed at once. */
  readonly entryBytesMax: number;
  /** As much is scanned, or parsed if it is whole entries, between two looks at the clock. */
  readonly stepBytes: number;
}

/** Why a document is not parsed. */
export type LargeJsonFault = 'too_many_values' | 'too_deep' | 'entry_too_large' | 'no_object' | 'malformed';

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
): Promise<object | LargeJsonFault> {
  const structure = new JsonStructure(json);
  for (let to = stepBytes; !structure.isAtEnd; to += stepBytes) {
    structure.scan(to, valuesMax);
    if (structure.isTooDeep) return 'too_deep';
    if (structure.values > valuesMax) return 'too_many_values';
    if (slices.isOver) await slices.pause();
  }
  if (!structure.isBalanced) return 'malformed';
  if (!structure.isObject) return 'no_object';
  if (largestPart(json, structure.arrays) > entryBytesMax) return 'entry_too_large';

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

/** The bytes of the largest entry, or of all that is beside the entries. */
function largestPart(json: Buffer, arrays: readonly FieldArray[]): number {
  let beside = json.length;
  let largest = 0;
  for (const { begin, end, commas } of arrays) {
    beside -= end - begin;
    let from = begin;
    for (const to of [...commas, end]) {
      largest = Math.max(largest, to - from);
      from = to;
    }
  }
  return Math.max(largest, beside);
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
