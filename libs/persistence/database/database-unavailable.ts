import { InstallationError, oneLine } from '#config/light';
import { isForbidden } from './database-errors.js';

/** The database cannot be used: unreachable, refused, or not migrated. */
export class DatabaseUnavailable extends InstallationError {}

/** What was asked for needs a session of its own, and the URL leads through a pooler. */
export function poolerInBetween(why: string): DatabaseUnavailable {
  return new DatabaseUnavailable(`a connection pooler stands before the database, and ${why}: set DATABASE_DIRECT_URL`);
}

/** @param setting the one that has the URL */
export function unreachable(url: string, setting: string, error: unknown): DatabaseUnavailable {
  const place = `the database at ${redacted(url)} (${setting})`;
  if (isForbidden(error)) return new DatabaseUnavailable(`the user of ${place} has too few rights: ${oneLine(error)}`);
  return new DatabaseUnavailable(`cannot reach ${place}: ${connectFault(error)}`);
}

/** Why there is no connection, in one line; the driver's words for two faults of a URL name neither. */
export function connectFault(error: unknown): string {
  const words = oneLine(error);
  if (words === 'Invalid URL') return 'it is not a URL; in its user and password write %40 for @, %2F for /, and so on';
  const asksForPassword = /client password must be a|empty password returned by client/.test(words);
  if (asksForPassword) return 'the server asks for a password, and the URL has none';
  return words;
}

/** Its schema is of an earlier version, or there is none. */
export class NotMigrated extends DatabaseUnavailable {
  constructor(url: string) {
    super(`the database at ${redacted(url)} is not migrated: run \`node dist/scripts/migrate.js\``);
  }
}

/** The URL without its password, which may have an `@` in it, or be an option behind the database's name. */
export function redacted(url: string): string {
  return url.replace(/\/\/([^:@/]*)(:.*)?@/, '//$1@').replaceAll(/([?&]password=)[^&]*/gi, '$1***');
}
