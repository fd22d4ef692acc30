import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSecretsKeys, settingOf } from '#config/light';
import { OperatorError, SecretKeys } from '#persistence';
import { dataFolders, type Environment, locateServers, readRuntime } from './locate-servers.js';

/** The file in DATA_DIR in which `npm start` keeps its key. */
const KEPT_KEY_FILE = 'secrets-key';

export interface LocatedKeys {
  readonly keys: SecretKeys;
  /** Where they were found, for people; undefined if there are none. */
  readonly source: string | undefined;
}

/**
 * Finds the keys of the secrets: by SECRETS_KEY or SECRETS_KEY_FILE, else in the DATA_DIR of the `npm start` that uses
 * the same database. The key of a folder with another database is not used, because nobody else could read what it
 * encrypts.
 *
 * @throws OperatorError naming the file that cannot be read
 */
export function locateSecretsKey(environment: Environment): LocatedKeys {
  const given = settingOf(environment, 'SECRETS_KEY');
  if (given !== undefined) {
    const source = environment.SECRETS_KEY_FILE?.trim() || 'SECRETS_KEY';
    return { keys: keysFrom(given, source), source };
  }
  const { databaseUrl } = locateServers(environment);
  for (const folder of dataFolders(environment)) {
    const file = join(folder, KEPT_KEY_FILE);
    const isOfDatabase = readRuntime(join(folder, 'runtime.json'))?.databaseUrl === databaseUrl;
    if ((isOfDatabase || environment.DATA_DIR) && existsSync(file)) {
      return { keys: keysFrom(readFileSync(file, 'utf8'), file), source: file };
    }
  }
  return { keys: new SecretKeys(), source: undefined };
}

function keysFrom(text: string, source: string): SecretKeys {
  try {
    return new SecretKeys(parseSecretsKeys(text));
  } catch (error) {
    throw new OperatorError(`${source} ${error instanceof Error ? error.message : String(error)}`);
  }
}
