import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { type Environment, INSTALLED_IN } from './locate-servers.js';

/** The servers of a service and the key of its secrets belong together, so all come from one place. */
const OF_ONE_SERVICE = [
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'DATABASE_REPLICA_URL',
  'REDIS_URL',
  'SECRETS_KEY',
  'TEXTS_AT_REST',
  'DATA_DIR',
  'SMSCTL_URL',
];
/** Each of them alone identifies the service. */
const SAYS_WHICH = ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATA_DIR'];

/**
 * Adds the settings of the `.env` in the current folder, or else of the folder where Heliograph is installed. The
 * environment wins. If it identifies the service, servers and keys of the file are ignored, so that the database of one
 * service is never used with the queue or the key of another. A path in the file begins at the folder of the file.
 *
 * @param warn is called with one line about a file that cannot be read
 */
export function withEnvironmentFile(
  environment: Environment,
  warn: (line: string) => void,
  files: readonly string[] = [...new Set([resolve('.env'), join(INSTALLED_IN, '.env')])],
): Environment {
  const found = readFirst(files, warn);
  if (found === undefined) return environment;
  const isGiven = (name: string): boolean => Boolean(environment[name] || environment[`${name}_FILE`]);
  const isPlaced = SAYS_WHICH.some(isGiven);
  const added = Object.entries(found).filter(([name, value]) => {
    const setting = name.replace(/_FILE$/, '');
    return value !== '' && !isGiven(setting) && !(isPlaced && OF_ONE_SERVICE.includes(setting));
  });
  return { ...environment, ...Object.fromEntries(added) };
}

function readFirst(files: readonly string[], warn: (line: string) => void): Record<string, string> | undefined {
  for (const file of files) {
    try {
      const settings = parseEnv(readFileSync(file, 'utf8')) as Record<string, string>;
      return Object.fromEntries(
        Object.entries(settings).map(([name, value]) => [
          name,
          isPath(name) && value.trim() !== '' ? resolve(dirname(file), value) : value,
        ]),
      );
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'ENOTDIR') warn(`${file} cannot be read (${code}), and is left out`);
    }
  }
  return undefined;
}

function isPath(name: string): boolean {
  return name === 'DATA_DIR' || name.endsWith('_FILE');
}
