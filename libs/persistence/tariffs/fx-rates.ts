import { isCurrencyCode, parseRate } from '#billing';
import type { Queryable } from '../database/database.js';
import { OperatorError } from '../operators/operator-error.js';

export interface FxRate {
  readonly from: string;
  readonly to: string;
  /** Units of `to` for one unit of `from`, as a plain decimal. */
  readonly rate: string;
  readonly setAt: Date;
}

interface FxRow {
  from_currency: string;
  to_currency: string;
  rate: string;
  set_at: Date;
}

/**
 * Sets the operator's rate for deposits from now on; booked deposits keep their stored rate.
 *
 * @throws OperatorError when a currency is none
 * @throws MoneyError when the rate is none
 */
export async function setFxRate(database: Queryable, from: string, to: string, rate: string): Promise<FxRate> {
  for (const code of [from, to]) {
    if (!isCurrencyCode(code)) throw new OperatorError(`"${code}" is not a currency code like EUR`);
  }
  if (from === to) throw new OperatorError(`the rate from ${from} to ${to} is always 1`);
  parseRate(rate);
  const [row] = await database.query<FxRow>(
    `insert into fx_rate as f (from_currency, to_currency, rate) values ($1, $2, $3)
     on conflict (from_currency, to_currency) do update set rate = excluded.rate, set_at = now()
     returning from_currency, to_currency, trim_scale(f.rate)::text as rate, set_at`,
    [from, to, rate],
  );
  if (row === undefined) throw new Error('unreachable: an upsert returns its row');
  return fxRateOf(row);
}

export async function listFxRates(database: Queryable): Promise<FxRate[]> {
  const rows = await database.query<FxRow>(
    `select from_currency, to_currency, trim_scale(rate)::text as rate, set_at from fx_rate
      order by from_currency, to_currency`,
  );
  return rows.map(fxRateOf);
}

/**
 * The rate in force; `1` within one currency.
 *
 * @throws OperatorError when the operator has set none
 */
export async function findFxRate(database: Queryable, from: string, to: string): Promise<string> {
  if (from === to) return '1';
  const [row] = await database.query<{ rate: string }>(
    'select rate::text as rate from fx_rate where from_currency = $1 and to_currency = $2',
    [from, to],
  );
  if (row === undefined) {
    throw new OperatorError(`no exchange rate from ${from} to ${to}: set it with \`smsctl fx set ${from} ${to} RATE\``);
  }
  return row.rate;
}

function fxRateOf(row: FxRow): FxRate {
  return { from: row.from_currency, to: row.to_currency, rate: row.rate, setAt: row.set_at };
}
