import { randomBytes } from 'node:crypto';
import { ConfigError } from './config-error.js';

const KEY_BYTES = 32;
const KEYS_MAX = 10;

/** A new key, in the form of SECRETS_KEY and key files. */
export function makeSecretsKey(): string {
  return randomBytes(KEY_BYTES).toString('base64');
}

/**
 * Reads the keys of SECRETS_KEY: 32 bytes each, in base64 or hexadecimal, separated by white space; lines that start
 * with # are comments. The first key encrypts, all of them decrypt: while keys are replaced, the older ones follow the
 * new one.
 *
 * @throws Error saying what is wrong, without the keys
 */
export function parseSecretsKeys(text: string): Buffer[] {
  const lines = text.split('\n').filter((line) => !line.trimStart().startsWith('#'));
  const keys = lines
    .join(' ')
    .split(/\s+/)
    .filter((word) => word !== '')
    .map(keyOf);
  if (keys.length === 0) throw new Error('holds no key');
  if (keys.length > KEYS_MAX) throw new Error(`holds more than ${KEYS_MAX} keys`);
  if (new Set(keys.map((key) => key.toString('hex'))).size < keys.length) throw new Error('holds the same key twice');
  return keys;
}

/** The keys of a checked setting; none if it is unset. */
export function secretsKeysOf({ SECRETS_KEY }: { readonly SECRETS_KEY?: string | undefined }): Buffer[] {
  return SECRETS_KEY === undefined ? [] : parseSecretsKeys(SECRETS_KEY);
}

/**
 * Whether the texts of messages are to be stored encrypted.
 *
 * @throws ConfigError when there is no key to encrypt them with
 */
export function encryptsTexts(settings: {
  readonly TEXTS_AT_REST: 'plain' | 'encrypted';
  readonly SECRETS_KEY?: string | undefined;
}): boolean {
  if (settings.TEXTS_AT_REST === 'plain') return false;
  if (settings.SECRETS_KEY !== undefined) return true;
  throw new ConfigError(
    'TEXTS_AT_REST=encrypted needs SECRETS_KEY_FILE or SECRETS_KEY: make a key with `smsctl secrets key --out FILE`',
  );
}

/** The fault of a SECRETS_KEY, as one line that names the setting; undefined if there is none. */
export function secretsKeyProblem(text: unknown): string | undefined {
  try {
    parseSecretsKeys(String(text));
    return undefined;
  } catch (error) {
    return `SECRETS_KEY ${error instanceof Error ? error.message : String(error)}`;
  }
}

function keyOf(word: string, index: number, words: readonly string[]): Buffer {
  const isHex = /^[0-9a-f]{64}$/i.test(word);
  const isBase64 = /^[A-Za-z0-9+/_-]{43}=?$/.test(word);
  if (!isHex && !isBase64) {
    const which = words.length === 1 ? '' : ` (key ${index + 1})`;
    throw new Error(
      `must be ${KEY_BYTES} bytes in base64 or hexadecimal${which}: make one with \`smsctl secrets key\``,
    );
  }
  return Buffer.from(word, isHex ? 'hex' : 'base64');
}
