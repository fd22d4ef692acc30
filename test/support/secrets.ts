import { makeSecretsKey, parseSecretsKeys } from '#config';
import { Database, SecretKeys } from '#persistence';

/** As SECRETS_KEY has it; the same for all processes of all specs. */
export const TEST_SECRETS_KEY = 'c3BlY3Mgc2hhcmUgdGhpcyBrZXksIDMyIGJ5dGVzIGw=';

export const TEST_SECRET_KEYS = keysFrom(TEST_SECRETS_KEY);

/** The keys of a text as SECRETS_KEY has it. */
export function keysFrom(text: string): SecretKeys {
  return new SecretKeys(parseSecretsKeys(text));
}

/** A key that nobody else has. */
export function anotherSecretsKey(): string {
  return makeSecretsKey();
}

/** A pool on a database of the specs, with their key unless another one is given. */
export function openTestDatabase(
  url: string,
  poolSize = 4,
  settings: { readonly secretKeys?: SecretKeys; readonly encryptsTexts?: boolean } = {},
): Promise<Database> {
  return Database.open({ url, poolSize, applicationName: 'spec', secretKeys: TEST_SECRET_KEYS, ...settings });
}
