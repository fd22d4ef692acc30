import type { Micros } from './money.js';

/** One thing that is wrong with a tariff. */
export interface TariffFault {
  /** Line of the CSV, from 1; undefined: it is of no line. */
  readonly line: number | undefined;
  readonly rule: string;
}

/** A tariff that cannot be used; the message names every line that breaks a rule, up to 20, and the rule. */
export class TariffError extends Error {
  constructor(readonly faults: readonly TariffFault[]) {
    const shown = faults
      .slice(0, FAULTS_SHOWN_MAX)
      .map(({ line, rule }) => (line === undefined ? rule : `line ${line}: ${rule}`));
    const left = faults.length - shown.length;
    super([...shown, ...(left > 0 ? [`and ${left} more`] : [])].join('; '));
    this.name = 'TariffError';
  }
}

const FAULTS_SHOWN_MAX = 20;
const PREFIX = /^[1-9][0-9]{0,14}$/;

/** The rule that a rate breaks; `seen` has the prefixes before it. */
export function brokenRule(prefix: string, price: Micros, seen: ReadonlyMap<string, Micros>): string | undefined {
  if (!PREFIX.test(prefix)) return `the prefix "${prefix}" is not 1 to 15 digits beginning with 1 to 9`;
  if (price < 0n) return `the price of the prefix ${prefix} is below 0`;
  if (seen.has(prefix)) return `the prefix ${prefix} has a price already`;
  return undefined;
}
