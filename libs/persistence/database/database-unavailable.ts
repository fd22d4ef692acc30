import { InstallationError, oneLine } from '#config/light';

/** The database cannot be used: unreachable, refused, or not migrated. */
export class DatabaseUnavailable extends InstallationError {}

/** What was asked for needs a session of its own, and the URL leads through a pooler. */
export function poolerInBetween(why: string): DatabaseUnavailable {
  return new DatabaseUnavailable(`a connection pooler stands before the database, and ${why}: set DATABASE_DIRECT_URL`);
}

/** @param setting the one that has the URL */
export function unreachable(url: string, setting: string, error: unknown): DatabaseUnavailable {
  return new DatabaseUnavailable(`cannot reach the database at ${redacted(url)} (${setting}): ${oneLine(error)}`);
}

export function notMigrated(url: string): DatabaseUnavailable {
  return new DatabaseUnavailable(
    `the database at ${redacted(url)} is not migrated: run \`node dist/scripts/migrate.js\``,
  );
}

/** The URL without its password, which may have an `@` in it. */
export function redacted(url: string): string {
  return url.replace(/\/\/([^:@/]*)(:.*)?@/, '//$1@');
}
