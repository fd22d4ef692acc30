import type { Database, Queryable } from '../database/database.js';
import { isPasswordOf } from './password-hash.js';
import { checkCode, type UsedFactor } from './second-factor.js';

/** Wrong passwords and codes in a row that may be typing errors. */
const FREE_FAILURES = 10;
const LOCK_MAX_SECONDS = 15 * 60;

type SignInRefusal =
  /** The name, the password or the code is wrong. */
  | 'wrong'
  /** The password is right; the person has a second factor as well. */
  | 'code_required'
  /** Too many were wrong: none is checked for a while. */
  | 'locked';

export class SignInRefused extends Error {
  constructor(
    readonly refusal: SignInRefusal,
    /** Of `locked`: how long. */
    readonly waitSeconds = 0,
  ) {
    super(refusal);
    this.name = 'SignInRefused';
  }
}

export interface Proven {
  readonly operatorId: number;
  /** Of the password that was right: what follows holds only as long as it is the operator's. */
  readonly passwordHash: string;
  readonly factor: UsedFactor | undefined;
}

/**
 * Checks the password of an operator, and the code where there is a second factor.
 *
 * @throws SignInRefused when one is wrong or missing, or too many were
 */
export async function proveIdentity(
  database: Database,
  name: string,
  password: string,
  code: string | undefined,
): Promise<Proven> {
  const tried = await countTry(database, name);
  const isRight = await isPasswordOf(tried?.passwordHash, password);
  if (tried === undefined || !isRight || tried.isDisabled) throw new SignInRefused('wrong');
  const { operatorId, passwordHash } = tried;
  if (!tried.hasSecondFactor) {
    await forgetFailures(database, operatorId);
    return { operatorId, passwordHash, factor: undefined };
  }
  if (code === undefined) {
    // Nothing was wrong so far; but the right password alone does not excuse wrong codes.
    await database.query(
      `update operator set failures = greatest(failures - 1, 0), locked_until = '-infinity' where operator_id = $1`,
      [operatorId],
    );
    throw new SignInRefused('code_required');
  }
  return { operatorId, passwordHash, factor: await spendCode(database, operatorId, code) };
}

/**
 * Checks the password alone, of a person who has a session.
 *
 * @returns its hash
 * @throws SignInRefused when it is wrong, or too many were
 */
export async function provePassword(database: Database, name: string, password: string): Promise<string> {
  const tried = await countTry(database, name);
  const isRight = await isPasswordOf(tried?.passwordHash, password);
  if (tried === undefined || !isRight) throw new SignInRefused('wrong');
  await forgetFailures(database, tried.operatorId);
  return tried.passwordHash;
}

/**
 * Checks a one-time code or a recovery code alone, of a person who has a session.
 *
 * @throws SignInRefused when it is wrong, or too many were
 */
export async function proveSecondFactor(database: Database, name: string, code: string): Promise<void> {
  const tried = await countTry(database, name);
  if (tried === undefined) throw new SignInRefused('wrong');
  await spendCode(database, tried.operatorId, code);
}

async function spendCode(database: Database, operatorId: number, code: string): Promise<UsedFactor> {
  const factor = await checkCode(database, operatorId, code);
  if (factor === undefined) throw new SignInRefused('wrong');
  await forgetFailures(database, operatorId);
  return factor;
}

interface Tried {
  readonly operatorId: number;
  readonly passwordHash: string;
  readonly isDisabled: boolean;
  readonly hasSecondFactor: boolean;
}

/**
 * Counts a try as failed before anything is checked, so that tries at the same moment count as well; the right one
 * takes it back.
 *
 * @returns undefined when nobody has the name
 * @throws SignInRefused when too many have failed
 */
async function countTry(database: Queryable, name: string): Promise<Tried | undefined> {
  const [tried] = await database.query<Tried>(
    `update operator
        set failures = failures + 1,
            locked_until = case when failures < $2::integer then '-infinity'
                           else now() + least($3::float8, 2 ^ least(failures - $2::integer, 20)) * interval '1 second' end
      where name = $1 and locked_until <= now()
      returning operator_id as "operatorId", password_hash as "passwordHash", disabled_at is not null as "isDisabled",
                totp_secret is not null as "hasSecondFactor"`,
    [name, FREE_FAILURES, LOCK_MAX_SECONDS],
  );
  if (tried !== undefined) return tried;
  const [locked] = await database.query<{ seconds: number }>(
    `select ceil(extract(epoch from greatest(locked_until, now()) - now()))::integer as seconds from operator where name = $1`,
    [name],
  );
  if (locked !== undefined) throw new SignInRefused('locked', Math.max(1, locked.seconds));
  return undefined;
}

async function forgetFailures(database: Queryable, operatorId: number): Promise<void> {
  await database.query(`update operator set failures = 0, locked_until = '-infinity' where operator_id = $1`, [
    operatorId,
  ]);
}
