import { timingSafeEqual } from 'node:crypto';
import type { Database, Queryable } from '../database/database.js';
import { sha256 } from '../database/sha256.js';
import { actAs, recordOperatorAction } from './operator-changes.js';
import { hashPassword } from './password-hash.js';
import { proveIdentity, SignInRefused } from './prove-identity.js';
import { startSession } from './sessions.js';

const FIRST_ADMIN = 'admin';

export interface SignIn {
  readonly name: string;
  readonly password: string;
  /** A one-time code, or a recovery code. */
  readonly code?: string | undefined;
  readonly address: string;
  readonly userAgent: string;
}

/**
 * Starts a session for a person with the right password, and the right code where there is a second factor.
 *
 * @param firstPassword of `admin`, as long as there is no admin
 * @returns what the cookie of the session holds
 * @throws SignInRefused when it is not the right person
 */
export async function signIn(
  database: Database,
  { name, password, code, address, userAgent }: SignIn,
  firstPassword: string | undefined,
): Promise<string> {
  if (name === FIRST_ADMIN && firstPassword !== undefined && isSame(password, firstPassword)) {
    await addFirstAdmin(database, password);
  }
  const { operatorId, passwordHash, factor } = await proveIdentity(database, name, password, code);
  return database.transaction(async (transaction) => {
    await actAs(transaction, { operator: name, apiClient: address, command: 'sign in' });
    // A reset, or the end of the operator, has ended all sessions: none may follow.
    const [operator] = await transaction.query(
      `update operator set last_sign_in_at = now()
        where operator_id = $1 and password_hash = $2 and disabled_at is null returning operator_id`,
      [operatorId, passwordHash],
    );
    if (operator === undefined) throw new SignInRefused('wrong');
    const after = { secondFactor: factor ?? 'none', address };
    await recordOperatorAction(transaction, { subject: 'session', subjectId: name, action: 'start', after });
    return startSession(transaction, operatorId, { address, userAgent });
  });
}

/** Whether there is an admin; until then `admin` signs in with OPERATOR_PASSWORD. */
export async function hasAdmin(database: Queryable): Promise<boolean> {
  const [admin] = await database.query(
    `select from operator where name = $1 or (role = 'admin' and disabled_at is null) limit 1`,
    [FIRST_ADMIN],
  );
  return admin !== undefined;
}

async function addFirstAdmin(database: Database, password: string): Promise<void> {
  if (await hasAdmin(database)) return;
  const hash = await hashPassword(password);
  await database
    .actingAs({ operator: FIRST_ADMIN, command: 'first sign-in with OPERATOR_PASSWORD' })
    .query(`insert into operator (name, role, password_hash) values ($1, 'admin', $2) on conflict do nothing`, [
      FIRST_ADMIN,
      hash,
    ]);
}

function isSame(given: string, wanted: string): boolean {
  return timingSafeEqual(sha256(given), sha256(wanted));
}
