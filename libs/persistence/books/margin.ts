import type { Micros } from '#billing';
import type { Queryable } from '../database/database.js';

/** What one carrier took to one country, in one pair of currencies. */
export interface MarginLine {
  readonly carrier: string;
  /** The country calling code. */
  readonly destination: string;
  readonly currency: string;
  readonly segments: number;
  readonly revenue: Micros;
  /** Null: no cost is known. */
  readonly costCurrency: string | null;
  readonly cost: Micros;
  readonly segmentsWithoutCost: number;
}

/** What clients were billed and carriers charge for the segments that carriers took from one time to another. */
export async function marginLines(database: Queryable, from: Date, to: Date): Promise<MarginLine[]> {
  const rows = await database.query<{
    carrier: string;
    destination: string;
    currency: string;
    cost_currency: string | null;
    segments: string;
    revenue: string;
    cost: string;
    segments_without_cost: string;
  }>(
    'select c.name as carrier, m.* from margin($1, $2) m join carrier c using (carrier_id) order by c.name, m.destination',
    [from, to],
  );
  return rows.map((row) => ({
    carrier: row.carrier,
    destination: row.destination,
    currency: row.currency,
    segments: Number(row.segments),
    revenue: BigInt(row.revenue),
    costCurrency: row.cost_currency,
    cost: BigInt(row.cost),
    segmentsWithoutCost: Number(row.segments_without_cost),
  }));
}
