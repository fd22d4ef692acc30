import { type GuardSettings, type Guards, guardsOf } from '#billing';
import type { Queryable } from '../database/database.js';

/** What a gateway judges the sends of an account by, before their commit and in it. */
export interface AccountGuards {
  /** Grows with every change of them. */
  readonly guardVersion: number;
  /** Undefined: none is set. */
  readonly guards: Guards | undefined;
  readonly hasSuppressions: boolean;
}

export interface GuardRow {
  guard_version: number;
  has_suppressions: boolean;
  guard_settings: GuardSettings;
  age_days: number;
}

/**
 * Of `account a`, as a `GuardRow`. The account's settings go before those for all; a sandbox has its account's, and its
 * age.
 */
export const GUARD_COLUMNS = `a.guard_version, a.has_suppressions,
            (now() at time zone 'UTC')::date
            - ((select o.created_at from account o where o.account_id = abs(a.account_id)) at time zone 'UTC')::date
              as age_days,
            coalesce((select g.settings from guard g where g.account_id = 0), '{}')
            || coalesce((select g.settings from guard g where g.account_id = abs(a.account_id)), '{}') as guard_settings`;

/** The guards that hold for an account, or for a sandbox, now. */
export async function findAccountGuards(database: Queryable, accountId: string): Promise<AccountGuards> {
  const [row] = await database.query<GuardRow>(`select ${GUARD_COLUMNS} from account a where a.account_id = $1`, [
    accountId,
  ]);
  if (row === undefined) throw new Error(`there is no account ${accountId}`);
  return accountGuardsOf(row);
}

export function accountGuardsOf(row: GuardRow): AccountGuards {
  return {
    guardVersion: row.guard_version,
    guards: guardsOf(row.guard_settings, row.age_days),
    hasSuppressions: row.has_suppressions,
  };
}
