import { isJsonObject, type JsonObject } from './json-body.js';
import type { FieldFault } from './problem.js';
import { noObject } from './shape-faults.js';
import { Slices } from './slices.js';

/** An input by its class, and the faults of its shape. */
export interface CheckedInput {
  readonly input: object;
  readonly faults: readonly FieldFault[];
}

/**
 * Checks the entries of an input's list one by one, in slices, and adds their faults to those of the input.
 * Class-validator takes six times as long to check them all in one call.
 *
 * @param field the name of the list
 */
export async function withEntries(
  { input, faults }: CheckedInput,
  field: string,
  check: (entry: JsonObject, arrayPosition: number) => CheckedInput,
): Promise<CheckedInput> {
  const sent = (input as Record<string, unknown>)[field];
  if (!Array.isArray(sent)) return { input, faults };
  const slices = new Slices();
  const all = [...faults];
  const inputs: unknown[] = [];
  for (const [arrayPosition, one] of sent.entries()) {
    const entry = isJsonObject(one)
      ? check(one, arrayPosition)
      : { input: one, faults: [noObject(field, arrayPosition)] };
    inputs.push(entry.input);
    if (entry.faults.length > 0) all.push(...entry.faults);
    if (slices.isOver) await slices.pause();
  }
  return { input: Object.assign(input, { [field]: inputs }), faults: all };
}
