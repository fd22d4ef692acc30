import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Nothing says where the servers are. The message is one line for an operator. */
export class ServersUnknown extends Error {}

/** The servers that the service uses. */
export interface Servers {
  readonly databaseUrl: string;
  /** A streaming replica of it that the service reads from; undefined: none. */
  readonly replicaUrl: string | undefined;
  /** Undefined: the queue is in the database. */
  readonly redisUrl: string | undefined;
  /** Where this was found, for people. */
  readonly source: string;
}

/** The folder that Heliograph is installed in; this file runs as `dist/apps/smsctl/locate-servers.js`. */
const INSTALLED_IN = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Finds the servers: by DATABASE_DIRECT_URL or DATABASE_URL, else by what the running `npm start` wrote into its DATA_DIR, which is looked for in
 * the current folder and where Heliograph is installed. An empty setting counts as unset.
 *
 * @throws ServersUnknown when nothing says where the database is
 */
export function locateServers(environment: Environment): Servers {
  const redisUrl = environment.REDIS_URL || undefined;
  const replicaUrl = environment.DATABASE_REPLICA_URL || undefined;
  // The server itself rather than a pooler before it: a command may run for long.
  for (const source of ['DATABASE_DIRECT_URL', 'DATABASE_URL']) {
    const databaseUrl = environment[source];
    if (databaseUrl) return { databaseUrl, replicaUrl, redisUrl, source };
  }
  const given = environment.DATA_DIR;
  const folders = given ? [resolve(given)] : [...new Set([resolve('.data'), join(INSTALLED_IN, '.data')])];
  for (const folder of folders) {
    const file = join(folder, 'runtime.json');
    const runtime = readRuntime(file);
    if (runtime === undefined) continue;
    return {
      databaseUrl: runtime.databaseUrl,
      replicaUrl: replicaUrl ?? runtime.replicaUrl,
      redisUrl: redisUrl ?? runtime.redisUrl,
      source: file,
    };
  }
  throw new ServersUnknown(
    `no database: set DATABASE_URL or start Heliograph in this folder with npm start (looked in ${folders.join(', ')})`,
  );
}

function readRuntime(file: string): { databaseUrl: string; replicaUrl?: string; redisUrl?: string } | undefined {
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
