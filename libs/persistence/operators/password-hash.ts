import { ConcurrencyLimit } from '#batching';
import { OperatorError } from './operator-error.js';

const PASSWORD_LENGTH_MIN = 12;
const PASSWORD_LENGTH_MAX = 256;
/** Argon2id with 19 MiB and two passes (OWASP, Password Storage): 40 to 140 ms of a core. */
const COST = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** So 76 MiB at most. */
const HASHES = new ConcurrencyLimit({ atOnceMax: 4, waitingMax: 50, retryAfterSeconds: 2 });
/** Of a password that nobody has: an unknown name takes as long as a known one. */
const NOBODYS_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$lQ7qQ7cixFv6Z0+yMsK+HQ$Nv3afiQaoxVNlpnALTkWdylO7MSOWmXRGYfAYzQ2FNc';

/** @throws OperatorError when the password is too short or too long */
export async function hashPassword(password: string): Promise<string> {
  const { length } = [...password];
  if (length < PASSWORD_LENGTH_MIN || length > PASSWORD_LENGTH_MAX) {
    throw new OperatorError(`a password has ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters`);
  }
  return HASHES.run(async () => (await argon2()).hash(plain(password), COST));
}

/**
 * Whether a password is the one of a hash; undefined: of nobody, which takes as long.
 *
 * @throws Overloaded when too many wait
 */
export async function isPasswordOf(hash: string | undefined, password: string): Promise<boolean> {
  const isRight = await HASHES.run(async () =>
    (await argon2()).verify(hash ?? NOBODYS_HASH, plain(password.slice(0, PASSWORD_LENGTH_MAX * 2))),
  );
  return isRight && hash !== undefined;
}

/** Keyboards write the same letter in several ways. */
function plain(password: string): string {
  return password.normalize('NFKC');
}

/** A native module, which most processes and commands have no use for. */
function argon2(): Promise<typeof import('@node-rs/argon2')> {
  return import('@node-rs/argon2');
}
