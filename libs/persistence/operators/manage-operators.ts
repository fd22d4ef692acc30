import type { Database, Queryable } from '../database/database.js';
import { findOperator, type OperatorOverview, unknownOperator } from './find-operators.js';
import { OperatorError } from './operator-error.js';
import { hashPassword } from './password-hash.js';
import { randomWords } from './random-words.js';
import type { OperatorRole } from './roles.js';

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const PASSWORD_BITS = 100;

export interface NewPassword {
  readonly operator: OperatorOverview;
  /** For the first sign-in, at which the person chooses another one. */
  readonly password: string;
}

/**
 * Adds an operator with a random password.
 *
 * @throws OperatorError when the name is not valid or taken
 */
export async function addOperator(database: Database, name: string, role: OperatorRole): Promise<NewPassword> {
  if (!NAME.test(name)) {
    throw new OperatorError('a name has up to 64 small letters, digits, dots, hyphens and underscores');
  }
  const password = randomWords(PASSWORD_BITS);
  const hash = await hashPassword(password);
  const added = await database.query(
    `insert into operator (name, role, password_hash, must_change_password) values ($1, $2, $3, true)
     on conflict do nothing returning operator_id`,
    [name, role, hash],
  );
  if (added.length === 0) throw new OperatorError(`there is an operator ${name} already`);
  return { operator: await findOperator(database, name), password };
}

/** @throws OperatorError when nobody has the name, or it is the last admin's */
export function setOperatorRole(database: Database, name: string, role: OperatorRole): Promise<OperatorOverview> {
  return change(database, name, async (transaction) => {
    await transaction.query('update operator set role = $2 where name = $1', [name, role]);
  });
}

/**
 * For a person who has lost the password or the device of the one-time codes: a new random password, no second factor,
 * no sessions, no lock.
 *
 * @throws OperatorError when nobody has the name
 */
export async function resetOperator(database: Database, name: string): Promise<NewPassword> {
  const password = randomWords(PASSWORD_BITS);
  const hash = await hashPassword(password);
  const operator = await change(database, name, async (transaction, operatorId) => {
    await transaction.query(
      `update operator
          set password_hash = $2, must_change_password = true, totp_secret = null, totp_pending_secret = null,
              failures = 0, locked_until = '-infinity'
        where operator_id = $1`,
      [operatorId, hash],
    );
    await transaction.query('delete from operator_recovery_code where operator_id = $1', [operatorId]);
    await transaction.query('delete from operator_session where operator_id = $1', [operatorId]);
  });
  return { operator, password };
}

/**
 * Ends the sessions of an operator, who cannot sign in any more. Tokens that this person made go on working.
 *
 * @throws OperatorError when nobody has the name, or it is the last admin's
 */
export function disableOperator(database: Database, name: string): Promise<OperatorOverview> {
  return change(database, name, async (transaction, operatorId) => {
    await transaction.query('update operator set disabled_at = coalesce(disabled_at, now()) where operator_id = $1', [
      operatorId,
    ]);
    await transaction.query('delete from operator_session where operator_id = $1', [operatorId]);
  });
}

/** @throws OperatorError when nobody has the name */
export function enableOperator(database: Database, name: string): Promise<OperatorOverview> {
  return change(database, name, async (transaction) => {
    await transaction.query('update operator set disabled_at = null where name = $1', [name]);
  });
}

/**
 * Removes an operator; the audit log keeps the name.
 *
 * @throws OperatorError when nobody has the name, or it is the last admin's
 */
export async function removeOperator(database: Database, name: string): Promise<void> {
  await database.transaction(async (transaction) => {
    const { isAdmin } = await lockOperator(transaction, name);
    await transaction.query('delete from operator where name = $1', [name]);
    if (isAdmin) await refuseWithoutAdmin(transaction);
  });
}

function change(
  database: Database,
  name: string,
  work: (transaction: Queryable, operatorId: number) => Promise<void>,
): Promise<OperatorOverview> {
  return database.transaction(async (transaction) => {
    const { operatorId, isAdmin } = await lockOperator(transaction, name);
    await work(transaction, operatorId);
    if (isAdmin) await refuseWithoutAdmin(transaction);
    return findOperator(transaction, name);
  });
}

/** Changes of operators follow each other, so that two admins cannot disable each other at the same moment. */
async function lockOperator(
  transaction: Queryable,
  name: string,
): Promise<{ readonly operatorId: number; readonly isAdmin: boolean }> {
  const rows = await transaction.query<{ operatorId: number; name: string; isAdmin: boolean }>(
    `select operator_id as "operatorId", name, role = 'admin' and disabled_at is null as "isAdmin"
       from operator order by operator_id for update`,
  );
  const found = rows.find((row) => row.name === name);
  if (found === undefined) throw unknownOperator(name);
  return found;
}

async function refuseWithoutAdmin(transaction: Queryable): Promise<void> {
  const [admin] = await transaction.query(`select from operator where role = 'admin' and disabled_at is null limit 1`);
  if (admin === undefined) throw new OperatorError('this is the last admin: make another operator admin first');
}
