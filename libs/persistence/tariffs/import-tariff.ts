import { buildTariff, isCurrencyCode, type Micros, type Rate } from '#billing';
import { announceChange } from '../database/changes.js';
import type { Database, Queryable } from '../database/database.js';
import { OperatorError } from '../operators/operator-error.js';
import { requireRevision, revisionOf } from '../operators/revision.js';
import { findTariff, listOwnRates, lockTariffs, type TariffOverview } from './tariffs.js';

export interface WantedTariff {
  readonly name: string;
  readonly currency: string;
  readonly rates: readonly Rate[];
  /** When they begin; undefined: now. */
  readonly validFrom?: Date | undefined;
  /** The name of the tariff whose rates hold for other prefixes; undefined: it stays as it is. */
  readonly basedOn?: string | undefined;
  /** Of a preview: if others have changed its rates since, nothing is imported. */
  readonly revision?: string | undefined;
}

/** The changes that an import makes to the existing rates. */
export interface TariffDifference {
  readonly added: readonly Rate[];
  readonly removed: readonly Rate[];
  readonly changed: readonly ChangedRate[];
  readonly unchanged: number;
  /** Of the rates before. */
  readonly revision: string;
}

interface ChangedRate extends Rate {
  readonly oldPrice: Micros;
  readonly oldCountry: string | undefined;
}

/**
 * Makes a tariff, or gives the tariff of this name exactly these rates, in one transaction: now, or from a later time
 * on. The first tariff in a currency becomes its default.
 *
 * @throws OperatorError when the name or currency is not valid, the tariff exists in another currency, or its rates are
 * no longer those of the preview
 * @throws TariffError when a rate is not valid
 */
export async function importTariff(
  database: Database,
  wanted: WantedTariff,
): Promise<TariffOverview & { readonly difference: TariffDifference }> {
  const { name, currency } = wanted;
  checkWanted(wanted);
  return database.transaction(async (transaction) => {
    await lockTariffs(transaction);
    await transaction.query('insert into tariff (name, currency) values ($1, $2) on conflict (name) do nothing', [
      name,
      currency,
    ]);
    const standing = await inCurrency(transaction, wanted);
    const { tariffId } = standing;
    if (wanted.basedOn !== undefined) {
      const baseId = await findBase(transaction, wanted.basedOn, currency, tariffId);
      refuseEarlyBase(wanted, standing);
      await transaction.query('update tariff set base_tariff_id = $2 where tariff_id = $1', [tariffId, baseId]);
    }
    const difference = differenceOf(await listOwnRates(transaction, tariffId, wanted.validFrom), wanted.rates);
    requireRevision(wanted.revision, difference.revision);
    if (wanted.validFrom === undefined) await apply(transaction, tariffId, difference);
    else await plan(transaction, tariffId, wanted.validFrom, wanted.rates);
    await transaction.query(
      `update tariff set is_default = true where tariff_id = $1 and base_tariff_id is null
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
  const [any] = await database.query('select from tariff where name = $1', [wanted.name]);
  const standing = any === undefined ? undefined : await inCurrency(database, wanted);
  if (wanted.basedOn !== undefined) await findBase(database, wanted.basedOn, wanted.currency, standing?.tariffId);
  if (standing !== undefined) refuseEarlyBase(wanted, standing);
  const before = standing === undefined ? [] : await listOwnRates(database, standing.tariffId, wanted.validFrom);
  return differenceOf(before, wanted.rates);
}

function checkWanted({ name, currency, rates, validFrom }: WantedTariff): void {
  if (validFrom !== undefined && validFrom.getTime() <= Date.now()) {
    throw new OperatorError('rates can be planned only for a time in the future; without a time they hold at once');
  }
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
    revision: revisionOf(before.map(({ prefix, price, country }) => [prefix, price, country])),
  };
}

/** All rates from a time on, in place of those that were planned for it. */
async function plan(transaction: Queryable, tariffId: string, validFrom: Date, rates: readonly Rate[]): Promise<void> {
  await transaction.query('delete from tariff_rate where tariff_id = $1 and valid_from = $2', [tariffId, validFrom]);
  await insertRates(transaction, tariffId, validFrom, rates);
}

/**
 * The tariff that another one would be based on.
 *
 * @param tariffId of the other one; undefined: it does not exist yet
 * @throws OperatorError when it is in another currency, or one of the two is a step of another way
 */
async function findBase(
  database: Queryable,
  name: string,
  currency: string,
  tariffId: string | undefined,
): Promise<string> {
  const { tariffId: baseId, basedOn, currency: other } = await findTariff(database, name);
  if (other !== currency) throw new OperatorError(`the tariff ${name} is in ${other}, not in ${currency}`);
  if (baseId === tariffId) throw new OperatorError('a tariff cannot be based on itself');
  const dependents = await database.query('select from tariff where base_tariff_id = $1', [tariffId ?? null]);
  if (basedOn !== undefined || dependents.length > 0) {
    throw new OperatorError('a tariff that is based on another one cannot be the base of a third');
  }
  return baseId;
}

/** @throws OperatorError when rates of a base would hold at once, beside own ones that wait for their time */
function refuseEarlyBase({ name, validFrom, basedOn }: WantedTariff, standing: TariffOverview): void {
  if (validFrom === undefined || basedOn === undefined || basedOn === standing.basedOn || standing.rateCount === 0)
    return;
  throw new OperatorError(
    `the base of ${name} would change at once: change it by an import that holds at once as well`,
  );
}

/**
 * Takes back the rates that were planned for a time.
 *
 * @throws OperatorError when nothing is planned for it
 */
export function cancelRates(database: Database, name: string, validFrom: Date): Promise<TariffOverview> {
  return database.transaction(async (transaction) => {
    await lockTariffs(transaction);
    const { tariffId } = await findTariff(transaction, name);
    const canceled = await transaction.query(
      'delete from tariff_rate where tariff_id = $1 and valid_from = $2 and valid_from > now() returning prefix',
      [tariffId, validFrom],
    );
    if (canceled.length === 0) throw new OperatorError(`nothing is planned for ${validFrom.toISOString()}`, 'missing');
    await announceChange(transaction, 'tariffs');
    return findTariff(transaction, name);
  });
}

/** One statement for each kind of change, so that each is one record of the audit. */
async function apply(
  transaction: Queryable,
  tariffId: string,
  { added, removed, changed }: TariffDifference,
): Promise<void> {
  const [row] = await transaction.query<{ version: string }>(
    "select coalesce(tariff_version($1, now()), '-infinity')::text as version",
    [tariffId],
  );
  const version = row?.version ?? '-infinity';
  if (removed.length > 0) {
    await transaction.query(
      'delete from tariff_rate where tariff_id = $1 and valid_from = $2 and prefix = any($3::text[])',
      [tariffId, version, removed.map(({ prefix }) => prefix)],
    );
  }
  if (changed.length > 0) {
    await transaction.query(
      `update tariff_rate r set price = n.price, country = n.country
         from unnest($3::text[], $4::bigint[], $5::text[]) as n(prefix, price, country)
        where r.tariff_id = $1 and r.valid_from = $2 and r.prefix = n.prefix`,
      [tariffId, version, ...columnsOf(changed)],
    );
  }
  if (added.length > 0) await insertRates(transaction, tariffId, version, added);
}

async function insertRates(
  transaction: Queryable,
  tariffId: string,
  validFrom: Date | string,
  rates: readonly Rate[],
): Promise<void> {
  await transaction.query(
    `insert into tariff_rate (tariff_id, valid_from, prefix, price, country)
     select $1, $2::timestamptz, * from unnest($3::text[], $4::bigint[], $5::text[])`,
    [tariffId, validFrom, ...columnsOf(rates)],
  );
}

function columnsOf(rates: readonly Rate[]): [string[], Micros[], (string | null)[]] {
  return [
    rates.map(({ prefix }) => prefix),
    rates.map(({ price }) => price),
    rates.map(({ country }) => country ?? null),
  ];
}
