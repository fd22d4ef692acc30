import { buildTariff, isCurrencyCode, type Micros, type Rate } from '#billing';
import { announceChange } from '../database/changes.js';
import type { Database, Queryable } from '../database/database.js';
import { OperatorError } from '../operators/operator-error.js';
import { findTariff, listRates, type TariffOverview } from './tariffs.js';

export interface WantedTariff {
  readonly name: string;
  readonly currency: string;
  readonly rates: readonly Rate[];
}

/** The changes that an import makes to the existing rates. */
export interface TariffDifference {
  readonly added: readonly Rate[];
  readonly removed: readonly Rate[];
  readonly changed: readonly ChangedRate[];
  readonly unchanged: number;
}

interface ChangedRate extends Rate {
  readonly oldPrice: Micros;
  readonly oldCountry: string | undefined;
}

/**
 * Makes a tariff, or gives the tariff of this name exactly these rates, in one transaction. The first tariff in a
 * currency becomes its default.
 *
 * @throws OperatorError when the name or currency is not valid, or the tariff exists in another currency
 * @throws TariffError when a rate is not valid
 */
export async function importTariff(
  database: Database,
  wanted: WantedTariff,
): Promise<TariffOverview & { readonly difference: TariffDifference }> {
  const { name, currency } = wanted;
  checkWanted(wanted);
  return database.transaction(async (transaction) => {
    await transaction.query('insert into tariff (name, currency) values ($1, $2) on conflict (name) do nothing', [
      name,
      currency,
    ]);
    // With the row lock, two imports of one tariff run one after the other.
    await transaction.query('select from tariff where name = $1 for update', [name]);
    const { tariffId } = await inCurrency(transaction, wanted);
    const difference = differenceOf(await listRates(transaction, tariffId), wanted.rates);
    await apply(transaction, tariffId, difference);
    await transaction.query(
      `update tariff set is_default = true where tariff_id = $1
          and not exists (select from tariff d where d.currency = tariff.currency and d.is_default)`,
      [tariffId],
    );
    await announceChange(transaction, 'tariffs');
    return { ...(await findTariff(transaction, name)), difference };
  });
}

/**
 * The changes that an import would make, without making them.
 *
 * @throws as importTariff does
 */
export async function previewTariff(database: Queryable, wanted: WantedTariff): Promise<TariffDifference> {
  checkWanted(wanted);
  const [standing] = await database.query('select from tariff where name = $1', [wanted.name]);
  if (standing === undefined) return differenceOf([], wanted.rates);
  const { tariffId } = await inCurrency(database, wanted);
  return differenceOf(await listRates(database, tariffId), wanted.rates);
}

function checkWanted({ name, currency, rates }: WantedTariff): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) {
    throw new OperatorError('the name of a tariff has 1 to 64 letters, digits, dots, dashes and underscores');
  }
  if (!isCurrencyCode(currency)) throw new OperatorError(`"${currency}" is not a currency code like EUR`);
  buildTariff(rates);
}

async function inCurrency(database: Queryable, { name, currency }: WantedTariff): Promise<TariffOverview> {
  const standing = await findTariff(database, name);
  if (standing.currency !== currency) {
    throw new OperatorError(`the tariff ${name} is in ${standing.currency}, not in ${currency}`);
  }
  return standing;
}

function differenceOf(before: readonly Rate[], after: readonly Rate[]): TariffDifference {
  const old = new Map(before.map((rate) => [rate.prefix, rate]));
  const wanted = new Set(after.map(({ prefix }) => prefix));
  const added = after.filter(({ prefix }) => !old.has(prefix));
  const changed = after.flatMap((rate) => {
    const was = old.get(rate.prefix);
    if (was === undefined || (was.price === rate.price && was.country === rate.country)) return [];
    return [{ ...rate, oldPrice: was.price, oldCountry: was.country }];
  });
  return {
    added,
    removed: before.filter(({ prefix }) => !wanted.has(prefix)),
    changed,
    unchanged: after.length - added.length - changed.length,
  };
}

/** One statement for each kind of change, so that each is one record of the audit. */
async function apply(
  transaction: Queryable,
  tariffId: string,
  { added, removed, changed }: TariffDifference,
): Promise<void> {
  if (removed.length > 0) {
    await transaction.query('delete from tariff_rate where tariff_id = $1 and prefix = any($2::text[])', [
      tariffId,
      removed.map(({ prefix }) => prefix),
    ]);
  }
  if (changed.length > 0) {
    await transaction.query(
      `update tariff_rate r set price = n.price, country = n.country
         from unnest($2::text[], $3::bigint[], $4::text[]) as n(prefix, price, country)
        where r.tariff_id = $1 and r.prefix = n.prefix`,
      [tariffId, ...columnsOf(changed)],
    );
  }
  if (added.length > 0) {
    await transaction.query(
      `insert into tariff_rate (tariff_id, prefix, price, country)
       select $1, * from unnest($2::text[], $3::bigint[], $4::text[])`,
      [tariffId, ...columnsOf(added)],
    );
  }
}

function columnsOf(rates: readonly Rate[]): [string[], Micros[], (string | null)[]] {
  return [
    rates.map(({ prefix }) => prefix),
    rates.map(({ price }) => price),
    rates.map(({ country }) => country ?? null),
  ];
}
