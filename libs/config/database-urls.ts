import { ConfigError } from './config-error.js';
import type { Config } from './load-config.js';

/**
 * The database of a process that needs one.
 *
 * @throws ConfigError when DATABASE_URL is unset
 */
export function requireDatabaseUrl(config: Config): string {
  if (config.DATABASE_URL === undefined) {
    throw new ConfigError('DATABASE_URL must be set (npm start brings its own database and sets it)');
  }
  return config.DATABASE_URL;
}

/**
 * The database for work that needs its own session: migrations, LISTEN, a queue in PostgreSQL.
 *
 * @throws ConfigError when DATABASE_URL is unset
 */
export function sessionDatabaseUrl(config: Config): string {
  return config.DATABASE_DIRECT_URL ?? requireDatabaseUrl(config);
}
