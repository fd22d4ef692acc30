import type { Database, Queryable } from '../database/database.js';
import { sha256 } from '../database/sha256.js';
import { openOneTimeSecret, sealOneTimeSecret } from './one-time-secrets.js';
import { recordOperatorAction } from './operator-changes.js';
import { OperatorError } from './operator-error.js';
import { randomWords, typedWords } from './random-words.js';

const ISSUER = 'Heliograph';
/** A code of the step before or after this one is right as well: clocks differ. */
const TOLERANCE_SECONDS = 30;
const RECOVERY_CODES = 10;
const RECOVERY_CODE_BITS = 128;

export type UsedFactor = 'one-time code' | 'recovery code';

export interface Enrolment {
  /** In base 32, for a person to type. */
  readonly secret: string;
  /** `otpauth://...`, for the camera of the person's device. */
  readonly uri: string;
}

/**
 * Begins the enrolment of a device. The second factor of before, if there is one, stays until the enrolment ends.
 *
 * @throws OperatorError when the service has no key to encrypt the secret with
 */
export async function beginEnrolment(database: Database, operatorId: number, name: string): Promise<Enrolment> {
  const { generateSecret, generateURI } = await import('otplib');
  const secret = generateSecret();
  const sealed = sealOneTimeSecret(database.secretKeys, operatorId, secret);
  await database.query('update operator set totp_pending_secret = $2 where operator_id = $1', [operatorId, sealed]);
  return { secret, uri: generateURI({ issuer: ISSUER, label: name, secret }) };
}

/**
 * Ends the enrolment with a code of the device: from now on, signing in asks for a code.
 *
 * @returns the recovery codes, which are shown once; undefined: the code is wrong
 * @throws OperatorError when no enrolment has begun
 */
export async function endEnrolment(
  database: Database,
  operatorId: number,
  name: string,
  code: string,
): Promise<string[] | undefined> {
  const [row] = await database.query<{ stored: string | null }>(
    'select totp_pending_secret as stored from operator where operator_id = $1',
    [operatorId],
  );
  const stored = row?.stored ?? undefined;
  if (stored === undefined) throw new OperatorError('no enrolment has begun');
  const step = await stepOf(openOneTimeSecret(database.secretKeys, operatorId, stored), code);
  if (step === undefined) return undefined;
  return database.transaction(async (transaction) => {
    const ended = await transaction.query(
      `update operator set totp_secret = totp_pending_secret, totp_pending_secret = null, totp_step = $3
        where operator_id = $1 and totp_pending_secret = $2 returning operator_id`,
      [operatorId, stored, step],
    );
    // Another request has ended it, or begun another one: new recovery codes would not be those that the person has.
    if (ended.length === 0) throw new OperatorError('no enrolment has begun');
    return writeRecoveryCodes(transaction, operatorId, name);
  });
}

/** Ends the second factor: a password is enough. */
export function removeSecondFactor(database: Database, operatorId: number): Promise<void> {
  return database.transaction(async (transaction) => {
    await transaction.query(
      'update operator set totp_secret = null, totp_pending_secret = null where operator_id = $1',
      [operatorId],
    );
    await transaction.query('delete from operator_recovery_code where operator_id = $1', [operatorId]);
  });
}

/** New recovery codes in place of all earlier ones; they are shown once. */
export function renewRecoveryCodes(database: Database, operatorId: number, name: string): Promise<string[]> {
  return database.transaction((transaction) => writeRecoveryCodes(transaction, operatorId, name));
}

/**
 * Uses a code up: a one-time code of a later time step than any before, or one of the recovery codes. Of two requests
 * with the same code, one gets it.
 *
 * @returns undefined when it is wrong, or was used
 */
export async function checkCode(database: Database, operatorId: number, code: string): Promise<UsedFactor | undefined> {
  if (/^\d{6}$/.test(code.replaceAll(' ', ''))) {
    return (await spendOneTimeCode(database, operatorId, code.replaceAll(' ', ''))) ? 'one-time code' : undefined;
  }
  const spent = await database.query(
    'delete from operator_recovery_code where operator_id = $1 and code_hash = $2 returning operator_id',
    [operatorId, sha256(typedWords(code))],
  );
  return spent.length > 0 ? 'recovery code' : undefined;
}

async function spendOneTimeCode(database: Database, operatorId: number, code: string): Promise<boolean> {
  const [row] = await database.query<{ stored: string | null }>(
    'select totp_secret as stored from operator where operator_id = $1',
    [operatorId],
  );
  if (row === undefined || row.stored === null) return false;
  const step = await stepOf(openOneTimeSecret(database.secretKeys, operatorId, row.stored), code);
  if (step === undefined) return false;
  const used = await database.query(
    'update operator set totp_step = $2 where operator_id = $1 and totp_step < $2 returning operator_id',
    [operatorId, step],
  );
  return used.length > 0;
}

/** The time step of a code; undefined: the code is wrong. */
async function stepOf(secret: string, code: string): Promise<number | undefined> {
  if (!/^\d{6}$/.test(code)) return undefined;
  const { verify } = await import('otplib');
  const result = await verify({ secret, token: code, epochTolerance: TOLERANCE_SECONDS });
  return result.valid && 'timeStep' in result ? result.timeStep : undefined;
}

async function writeRecoveryCodes(transaction: Queryable, operatorId: number, name: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, () => randomWords(RECOVERY_CODE_BITS));
  await transaction.query('delete from operator_recovery_code where operator_id = $1', [operatorId]);
  await transaction.query(
    'insert into operator_recovery_code (operator_id, code_hash) select $1, unnest($2::bytea[])',
    [operatorId, codes.map((code) => sha256(typedWords(code)))],
  );
  await recordOperatorAction(transaction, {
    subject: 'recovery codes',
    subjectId: name,
    action: 'renew',
    after: { codes: codes.length },
  });
  return codes;
}
