import { parseRecipient } from '#billing';
import { lockAccount } from '../accounts/lock-account.js';
import type { Database, Queryable } from '../database/database.js';
import { OperatorError } from '../operators/operator-error.js';

const NUMBER = /^[0-9]{1,20}$/;

/** A number whose messages all belong to one account. */
export interface NumberAssignment {
  /** Digits; before letters were refused, a sender in lower case as well. */
  readonly number: string;
  readonly accountId: string;
  readonly createdAt: Date;
}

const COLUMNS = 'number, account_id as "accountId", created_at as "createdAt"';

/**
 * Gives a number to an account: from now on messages to it are in the account's inbox. A number that has another
 * account moves.
 *
 * @throws OperatorError when it is no number, because handsets cannot answer letters, or there is no such account, or
 *   it is closed
 */
export function assignNumber(database: Database, number: string, accountId: string): Promise<NumberAssignment> {
  const key = numberKey(number);
  if (!NUMBER.test(key)) throw new OperatorError(`"${number}" is no number that handsets can write to`);
  return database.transaction(async (transaction) => {
    await lockAccount(transaction, accountId);
    const [row] = await transaction.query<NumberAssignment>(
      `insert into number_assignment as n (number, account_id) values ($1, $2)
       on conflict (number) do update set account_id = excluded.account_id, created_at = now()
         where n.account_id <> excluded.account_id
       returning ${COLUMNS}`,
      [key, accountId],
    );
    return row ?? findNumber(transaction, key);
  });
}

/** @throws OperatorError when no account has it */
export async function releaseNumber(database: Queryable, number: string): Promise<NumberAssignment> {
  const [row] = await database.query<NumberAssignment>(
    `delete from number_assignment where number = $1 returning ${COLUMNS}`,
    [numberKey(number)],
  );
  if (row === undefined) throw notAssigned(number);
  return row;
}

/** In their order. */
export function listNumbers(database: Queryable, accountId?: string): Promise<NumberAssignment[]> {
  return database.query<NumberAssignment>(
    `select ${COLUMNS} from number_assignment where $1::bigint is null or account_id = $1 order by number`,
    [accountId ?? null],
  );
}

async function findNumber(database: Queryable, key: string): Promise<NumberAssignment> {
  const [row] = await database.query<NumberAssignment>(`select ${COLUMNS} from number_assignment where number = $1`, [
    key,
  ]);
  if (row === undefined) throw notAssigned(key);
  return row;
}

/** As `sender_key` of the database makes it. */
function numberKey(number: string): string {
  return parseRecipient(number) ?? number.trim().replace(/^\++/, '').toLowerCase();
}

function notAssigned(number: string): OperatorError {
  return new OperatorError(`the number ${number} is not assigned to an account`, 'missing');
}
