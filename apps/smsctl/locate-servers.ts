import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DATABASE_URL_FORM, type FileSetting, settingOf } from '#config/light';

export type Environment = Readonly<Record<string, string | undefined>>;

/** No setting names the servers, or what it says is no URL. The message is one line for an operator. */
class ServersUnknown extends Error {}

/** The servers that the service uses. */
export interface Servers {
  readonly databaseUrl: string;
  /** The way of the service's processes, if commands go around it; undefined: the same. */
  readonly poolerUrl: string | undefined;
  /** The streaming replica that the service reads from; undefined if there is none. */
  readonly replicaUrl: string | undefined;
  /** Undefined: the queue is in the database. */
  readonly redisUrl: string | undefined;
  /** Where these settings were found, for people. */
  readonly source: string;
}

/** The folder that Heliograph is installed in; this file runs as `dist/apps/smsctl/locate-servers.js`. */
export const INSTALLED_IN = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Finds the servers: by DATABASE_DIRECT_URL or DATABASE_URL, else by the file that the running `npm start` wrote into
 * its DATA_DIR, in the current folder or where Heliograph is installed. An empty setting counts as unset.
 *
 * @throws ServersUnknown when no setting names the database, or one has something else than its URL
 */
export function locateServers(environment: Environment): Servers {
  const redisUrl = settingOf(environment, 'REDIS_URL');
  const replicaUrl = settingOf(environment, 'DATABASE_REPLICA_URL');
  // The server itself, not a pooler before it, because a command may run for long.
  for (const source of ['DATABASE_DIRECT_URL', 'DATABASE_URL'] satisfies FileSetting[]) {
    const databaseUrl = settingOf(environment, source);
    if (!databaseUrl) continue;
    // Without the value, which may hold a password.
    if (!DATABASE_URL_FORM.test(databaseUrl)) throw new ServersUnknown(`${source} must be a postgres:// URL`);
    const poolerUrl = source === 'DATABASE_DIRECT_URL' ? settingOf(environment, 'DATABASE_URL') : undefined;
    return { databaseUrl, poolerUrl, replicaUrl, redisUrl, source };
  }
  const folders = dataFolders(environment);
  for (const folder of folders) {
    const file = join(folder, 'runtime.json');
    const runtime = readRuntime(file);
    if (runtime === undefined) continue;
    return {
      databaseUrl: runtime.databaseUrl,
      poolerUrl: undefined,
      replicaUrl: replicaUrl ?? runtime.replicaUrl,
      redisUrl: redisUrl ?? runtime.redisUrl,
      source: file,
    };
  }
  throw new ServersUnknown(
    `no database: set DATABASE_URL, here or in .env, or start Heliograph in this folder with npm start (looked in ${folders.join(', ')})`,
  );
}

/**
 * The folders in which a running `npm start` may keep its data: DATA_DIR, else `.data` here and where Heliograph is
 * installed.
 */
export function dataFolders({ DATA_DIR: given }: Environment): string[] {
  return given ? [resolve(given)] : [...new Set([resolve('.data'), join(INSTALLED_IN, '.data')])];
}

/** The file that the running `npm start` of a folder wrote; undefined if there is none. */
export function readRuntime(file: string): { databaseUrl: string; replicaUrl?: string; redisUrl?: string } | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  try {
    const runtime = JSON.parse(text) as { databaseUrl?: unknown; replicaUrl?: unknown; redisUrl?: unknown };
    if (typeof runtime.databaseUrl !== 'string') throw new Error('it names no databaseUrl');
    return {
      databaseUrl: runtime.databaseUrl,
      ...(typeof runtime.replicaUrl === 'string' && { replicaUrl: runtime.replicaUrl }),
      ...(typeof runtime.redisUrl === 'string' && { redisUrl: runtime.redisUrl }),
    };
  } catch (error) {
    throw new ServersUnknown(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
