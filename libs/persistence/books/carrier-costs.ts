import { buildTariff, isCurrencyCode, type Micros, type Rate } from '#billing';
import type { Database, Queryable } from '../database/database.js';
import { OperatorError } from '../operators/operator-error.js';

/** What a segment to a prefix costs at a carrier. */
export interface CarrierCost {
  readonly prefix: string;
  readonly cost: Micros;
  readonly currency: string;
}

/** All costs of a carrier, from a time on. */
export interface CostList {
  readonly carrier: string;
  readonly currency: string;
  /** Also a time that is over: a bill may come late. */
  readonly validFrom: Date;
  readonly rates: readonly Rate[];
}

/**
 * Gives a carrier exactly these costs from a time on, until those of a later time. Importing for the same time replaces
 * them.
 *
 * @throws OperatorError when there is no such carrier
 * @throws TariffError when a rate is not valid
 */
export function importCosts(database: Database, { carrier, currency, validFrom, rates }: CostList): Promise<number> {
  if (!isCurrencyCode(currency)) throw new OperatorError(`"${currency}" is not a currency code like EUR`);
  buildTariff(rates);
  return database.transaction(async (transaction) => {
    const carrierId = await carrierIdOf(transaction, carrier);
    await transaction.query('select from carrier where carrier_id = $1 for no key update', [carrierId]);
    await transaction.query('delete from carrier_cost where carrier_id = $1 and valid_from = $2', [
      carrierId,
      validFrom,
    ]);
    await transaction.query(
      `insert into carrier_cost (carrier_id, valid_from, prefix, cost, currency)
       select $1::integer, $2::timestamptz, prefix, cost, $3::text from unnest($4::text[], $5::bigint[]) as n(prefix, cost)`,
      [carrierId, validFrom, currency, rates.map(({ prefix }) => prefix), rates.map(({ price }) => price)],
    );
    return rates.length;
  });
}

/** The costs of a carrier that hold at a moment, by prefix, and from when on. */
export async function listCosts(
  database: Queryable,
  carrier: string,
  at: Date | undefined,
): Promise<{ readonly validFrom: Date | undefined; readonly costs: readonly CarrierCost[] }> {
  const rows = await database.query<{ valid_from: Date; prefix: string; cost: string; currency: string }>(
    `select valid_from, prefix, cost, currency from carrier_cost
      where carrier_id = $1 and valid_from = (select max(v.valid_from) from carrier_cost v
                                               where v.carrier_id = $1 and v.valid_from <= coalesce($2, now()))
      order by prefix`,
    [await carrierIdOf(database, carrier), at ?? null],
  );
  return {
    validFrom: rows[0]?.valid_from,
    costs: rows.map(({ prefix, cost, currency }) => ({ prefix, cost: BigInt(cost), currency })),
  };
}

/** Also of a carrier that was removed: what it took is still charged. */
export async function carrierIdOf(database: Queryable, name: string): Promise<number> {
  const [row] = await database.query<{ carrier_id: number }>(
    'select carrier_id from carrier where name = $1 order by removed_at desc nulls first limit 1',
    [name],
  );
  if (row === undefined) throw new OperatorError(`there is no carrier ${name}`, 'missing');
  return row.carrier_id;
}
