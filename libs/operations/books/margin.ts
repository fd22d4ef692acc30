import { boundsOfMonth, type Micros, parseTariffCsv, TariffError } from '#billing';
import {
  type CarrierCost,
  type Database,
  importCosts,
  listCosts,
  type MarginLine,
  marginLines,
  mayBeDropped,
  OperatorError,
} from '#persistence';
import { momentOf } from '../wire.js';

/** It reads all segments of the service. */
export const MARGIN_TIMEOUT_MS = 600_000;

export interface MarginRow extends MarginLine {
  /** What is left; null where price and cost are in different currencies, or no cost is known. */
  readonly margin: Micros | null;
}

export interface MarginAnswer {
  /** In UTC, e.g. `2026-10`. */
  readonly month: string;
  /** False: retention may have dropped messages of the month. */
  readonly isWhole: boolean;
  readonly lines: readonly MarginRow[];
  /** Of the lines with a margin, by currency. */
  readonly totals: readonly {
    readonly currency: string;
    readonly revenue: Micros;
    readonly cost: Micros;
    readonly margin: Micros;
  }[];
}

/** What is left of the price of what carriers took in a month, by carrier and country. */
export async function margin(database: Database, { month }: { readonly month: string }): Promise<MarginAnswer> {
  const { from, to } = boundsOfMonth(month);
  const found = await marginLines(database, from, to);
  const lines = found.map((line) => ({ ...line, margin: marginOf(line) }));
  return {
    month,
    isWhole: !(await mayBeDropped(database, from, to)),
    lines,
    totals: totalsOf(lines),
  };
}

function marginOf({ currency, costCurrency, revenue, cost, segmentsWithoutCost }: MarginLine): Micros | null {
  return currency === costCurrency && segmentsWithoutCost === 0 ? revenue - cost : null;
}

function totalsOf(lines: readonly MarginRow[]): MarginAnswer['totals'] {
  const currencies = [...new Set(lines.filter(({ margin: left }) => left !== null).map(({ currency }) => currency))];
  return currencies.sort().map((currency) => {
    const own = lines.filter((line) => line.currency === currency && line.margin !== null);
    const sum = (field: 'revenue' | 'cost') => own.reduce((total, line) => total + line[field], 0n);
    const [revenue, cost] = [sum('revenue'), sum('cost')];
    return { currency, revenue, cost, margin: revenue - cost };
  });
}

interface OfCarrier {
  readonly carrier: string;
}

export interface CostImported extends OfCarrier {
  readonly currency: string;
  readonly validFrom: Date;
  readonly costs: number;
}

/** A CSV as of a tariff: `prefix,price`; the price is what the carrier charges for a segment. */
export async function costImport(
  database: Database,
  wanted: OfCarrier & { readonly currency: string; readonly csv: string; readonly validFrom: string },
): Promise<CostImported> {
  const { carrier, currency, csv } = wanted;
  const validFrom = new Date(wanted.validFrom);
  try {
    const rates = parseTariffCsv(csv);
    return {
      carrier,
      currency,
      validFrom,
      costs: await importCosts(database, { carrier, currency, validFrom, rates }),
    };
  } catch (error) {
    if (error instanceof TariffError) throw new OperatorError(error.message);
    throw error;
  }
}

export interface CostAnswer extends OfCarrier {
  /** Null: it has none, and the costs of its routes are taken. */
  readonly validFrom: Date | null;
  readonly costs: readonly CarrierCost[];
}

export async function costShow(
  database: Database,
  { carrier, at }: OfCarrier & { readonly at?: string | undefined },
): Promise<CostAnswer> {
  const { validFrom, costs } = await listCosts(database, carrier, momentOf(at));
  return { carrier, validFrom: validFrom ?? null, costs };
}
