import type { Rate } from '#billing';
import { announceChange } from '../database/changes.js';
import type { Database, Queryable } from '../database/database.js';
import { OperatorError } from '../operators/operator-error.js';

export interface TariffOverview {
  readonly tariffId: string;
  readonly name: string;
  readonly currency: string;
  /** New accounts in this currency get it. */
  readonly isDefault: boolean;
  readonly rateCount: number;
  /** Whose rates it has for prefixes without one of its own. */
  readonly basedOn: string | undefined;
  /** When its own rates change next. */
  readonly changesAt: Date | undefined;
  readonly createdAt: Date;
}

interface TariffRow {
  tariff_id: string;
  name: string;
  currency: string;
  is_default: boolean;
  rate_count: number;
  based_on: string | null;
  changes_at: Date | null;
  created_at: Date;
}

const OVERVIEW = `
  select t.tariff_id, t.name, t.currency, t.is_default, t.created_at,
         b.name as based_on,
         (select count(*)::integer from tariff_rate r
           where r.tariff_id = t.tariff_id and r.valid_from = tariff_version(t.tariff_id, now())) as rate_count,
         (select min(r.valid_from) from tariff_rate r where r.tariff_id = t.tariff_id and r.valid_from > now()) as changes_at
    from tariff t left join tariff b on b.tariff_id = t.base_tariff_id`;

/** Until the transaction ends, nobody else changes tariffs: a change looks at the default, and at other tariffs. */
export async function lockTariffs(transaction: Queryable): Promise<void> {
  await transaction.query("select pg_advisory_xact_lock(hashtext('heliograph.tariffs'))");
}

/** Makes a tariff the default of its currency for new accounts; existing accounts keep theirs. */
export function setDefaultTariff(database: Database, name: string): Promise<TariffOverview> {
  return database.transaction(async (transaction) => {
    await lockTariffs(transaction);
    const { tariffId, currency } = await findTariff(transaction, name);
    await transaction.query('update tariff set is_default = false where currency = $1 and is_default', [currency]);
    await transaction.query('update tariff set is_default = true where tariff_id = $1', [tariffId]);
    await announceChange(transaction, 'tariffs');
    return findTariff(transaction, name);
  });
}

export async function listTariffs(database: Queryable): Promise<TariffOverview[]> {
  return (await database.query<TariffRow>(`${OVERVIEW} order by t.currency, t.name`)).map(overviewOf);
}

/** @throws OperatorError when there is no such tariff */
export async function findTariff(database: Queryable, name: string): Promise<TariffOverview> {
  const [row] = await database.query<TariffRow>(`${OVERVIEW} where t.name = $1`, [name]);
  if (row === undefined) throw new OperatorError(`there is no tariff ${name}`, 'missing');
  return overviewOf(row);
}

/** @throws OperatorError when the currency has no default tariff */
export async function findDefaultTariff(database: Queryable, currency: string): Promise<TariffOverview> {
  const [row] = await database.query<TariffRow>(`${OVERVIEW} where t.currency = $1 and t.is_default`, [currency]);
  if (row === undefined) {
    throw new OperatorError(
      `there is no tariff in ${currency}: \`smsctl tariff import NAME --currency ${currency} FILE\``,
    );
  }
  return overviewOf(row);
}

/**
 * The rates of a tariff, in the order of their prefixes.
 *
 * @param at at this moment; undefined: now
 */
export async function listRates(database: Queryable, tariffId: string, at?: Date): Promise<Rate[]> {
  return ratesOf(
    await database.query<RateRow>('select * from tariff_rates($1, coalesce($2, now())) order by prefix', [
      tariffId,
      at ?? null,
    ]),
  );
}

/** The same without the rates of the tariff that it is based on. */
export async function listOwnRates(database: Queryable, tariffId: string, at?: Date): Promise<Rate[]> {
  return ratesOf(
    await database.query<RateRow>(
      `select prefix, price, country from tariff_rate
        where tariff_id = $1 and valid_from = tariff_version($1, coalesce($2, now())) order by prefix`,
      [tariffId, at ?? null],
    ),
  );
}

interface RateRow {
  readonly prefix: string;
  readonly price: string;
  readonly country: string | null;
}

function ratesOf(rows: readonly RateRow[]): Rate[] {
  return rows.map(({ prefix, price, country }) => ({
    prefix,
    price: BigInt(price),
    ...(country !== null && { country }),
  }));
}

function overviewOf(row: TariffRow): TariffOverview {
  return {
    tariffId: row.tariff_id,
    name: row.name,
    currency: row.currency,
    isDefault: row.is_default,
    rateCount: row.rate_count,
    basedOn: row.based_on ?? undefined,
    changesAt: row.changes_at ?? undefined,
    createdAt: row.created_at,
  };
}
