import type { Database } from '../database/database.js';
import { OperatorError } from './operator-error.js';
import { hashPassword } from './password-hash.js';
import { provePassword, SignInRefused } from './prove-identity.js';
import type { OperatorSession } from './sessions.js';

/**
 * A person chooses another password. All other sessions of this person end.
 *
 * @throws SignInRefused when the old password is wrong
 * @throws OperatorError when the new one is too short, too long, or the old one
 */
export async function changePassword(
  database: Database,
  { operatorId, name, sessionId }: OperatorSession,
  password: string,
  newPassword: string,
): Promise<void> {
  const passwordHash = await provePassword(database, name, password);
  if (newPassword === password) throw new OperatorError('the new password is the same as the present one');
  const hash = await hashPassword(newPassword);
  await database.transaction(async (transaction) => {
    // A password that was reset meanwhile stays: it was right before, and is not any more.
    const [operator] = await transaction.query(
      `update operator set password_hash = $3, must_change_password = false
        where operator_id = $1 and password_hash = $2 returning operator_id`,
      [operatorId, passwordHash, hash],
    );
    if (operator === undefined) throw new SignInRefused('wrong');
    await transaction.query('delete from operator_session where operator_id = $1 and session_id <> $2', [
      operatorId,
      sessionId,
    ]);
  });
}
