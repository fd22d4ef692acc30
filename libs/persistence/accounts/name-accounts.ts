import type { Queryable } from '../database/database.js';

interface OfAccount {
  readonly accountId: string | null;
}

/** What people know an account by, beside its id. */
export type NamedAccount<Row extends OfAccount> = Row & {
  readonly accountName: string | Extract<Row['accountId'], null>;
};

/** Adds the names of their accounts to the rows of a page, with one query for all of them. */
export async function nameAccounts<Row extends OfAccount>(
  database: Queryable,
  rows: readonly Row[],
): Promise<NamedAccount<Row>[]> {
  const ids = new Set(rows.flatMap(({ accountId }) => accountId ?? []));
  const accounts =
    ids.size === 0
      ? []
      : await database.query<{ account_id: string; name: string }>(
          'select account_id, name from account where account_id = any($1::bigint[])',
          [[...ids]],
        );
  const names = new Map(accounts.map(({ account_id, name }) => [account_id, name]));
  return rows.map((row) => {
    const name = row.accountId === null ? null : names.get(row.accountId);
    return { ...row, accountName: name as NamedAccount<Row>['accountName'] };
  });
}
