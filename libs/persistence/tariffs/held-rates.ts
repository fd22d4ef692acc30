import type { Micros } from '#billing';
import type { Queryable } from '../database/database.js';

/** The rates of a tariff from a moment on, and when they change. */
export interface HeldRates {
  readonly rates: readonly { readonly prefix: string; readonly price: Micros }[];
  readonly change: { readonly at: string; readonly inMs: number } | undefined;
}

/**
 * The rates of a tariff that hold at a moment, by the clock of the database.
 *
 * @param at the moment, exactly as an answer has it; undefined: now
 */
export async function heldRates(database: Queryable, tariffId: string, at?: string): Promise<HeldRates> {
  const [row] = await database.query<{
    prefixes: string[];
    prices: string[];
    change_at: string | null;
    change_in_ms: number | null;
  }>(
    `select coalesce(array_agg(r.prefix) filter (where r.prefix is not null), '{}') as prefixes,
            coalesce(array_agg(r.price) filter (where r.prefix is not null), '{}') as prices,
            n.at::text as change_at, (extract(epoch from n.at - m.at) * 1000)::float8 as change_in_ms
       from (select coalesce($2::timestamptz, clock_timestamp()) as at offset 0) m
      cross join lateral next_tariff_change($1, m.at) n(at)
       left join lateral tariff_rates($1, m.at) r on true
      group by m.at, n.at`,
    [tariffId, at ?? null],
  );
  const { prefixes = [], prices = [], change_at: changeAt = null, change_in_ms: inMs = null } = row ?? {};
  return {
    rates: prefixes.map((prefix, n) => ({ prefix, price: BigInt(prices[n] ?? 0) })),
    change: changeAt === null || inMs === null ? undefined : { at: changeAt, inMs },
  };
}
