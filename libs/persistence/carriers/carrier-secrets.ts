import { OperatorError } from '../operators/operator-error.js';
import type { CarrierSettings, StoredCarrier } from './carrier-settings.js';
import { keyIdOf, type SecretKeys } from './secret-keys.js';

/** The options of carriers that are secrets, by their stored names. */
export const SECRET_OPTIONS = ['tlsKeyPem'] as const;

/** A carrier with readable secrets, for a connection. Do not show or log it. */
export type OpenCarrier = Omit<StoredCarrier, 'password'> & { readonly password: string };

/**
 * A carrier with its secrets decrypted.
 *
 * @throws SecretUnreadable naming the secret and the key that is missing
 */
export function openCarrier(keys: SecretKeys, carrier: StoredCarrier): OpenCarrier {
  const { carrierId, password, options } = carrier;
  const opened = { ...options };
  const openedPassword = openOne(keys, password.stored, carrierId, 'password');
  for (const name of secretsAmong(options)) {
    opened[name] = openOne(keys, String(options[name]), carrierId, name);
  }
  return { ...carrier, password: openedPassword, options: opened };
}

/** The ids of the keys that a carrier's secrets are encrypted with; undefined stands for clear text. */
export function keyIdsOf({ password, options }: Pick<StoredCarrier, 'password' | 'options'>): (string | undefined)[] {
  const stored = [password.stored, ...secretsAmong(options).map((name) => String(options[name]))];
  return stored.filter((text) => text !== '').map(keyIdOf);
}

/**
 * A password in its stored form.
 *
 * @throws OperatorError when there is no key
 */
export function sealPassword(keys: SecretKeys, carrierId: number, password: string): string {
  return password === '' ? '' : sealOne(keys, password, carrierId, 'password');
}

/**
 * Options in their stored form: stored secrets stay as they are, new ones are encrypted.
 *
 * @throws OperatorError when there is a new secret and no key
 */
export function sealOptions(
  keys: SecretKeys,
  carrierId: number,
  options: CarrierSettings['options'],
  before: CarrierSettings['options'] = {},
): CarrierSettings['options'] {
  const sealed = { ...options };
  for (const name of secretsAmong(options)) {
    const text = String(options[name]);
    sealed[name] = text === before[name] || text === '' ? text : sealOne(keys, text, carrierId, name);
  }
  return sealed;
}

function secretsAmong(options: CarrierSettings['options']): string[] {
  return SECRET_OPTIONS.filter((name) => typeof options[name] === 'string');
}

function openOne(keys: SecretKeys, stored: string, carrierId: number, name: string): string {
  return keys.open(stored, identityOf(carrierId, name), `its ${wordsFor(name)}`);
}

function sealOne(keys: SecretKeys, text: string, carrierId: number, name: string): string {
  if (keys.currentId === undefined) {
    throw new OperatorError(
      `there is no key to encrypt the carrier's ${wordsFor(name)} with: make one with ` +
        '`smsctl secrets key --out FILE`, and set SECRETS_KEY_FILE=FILE for all processes and smsctl',
    );
  }
  return keys.seal(text, identityOf(carrierId, name));
}

function identityOf(carrierId: number, name: string): string {
  return `heliograph/carrier/${carrierId}/${name}`;
}

function wordsFor(name: string): string {
  return name === 'tlsKeyPem' ? 'TLS key' : name;
}
