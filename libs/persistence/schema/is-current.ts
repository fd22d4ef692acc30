import { failureKind, isForbidden } from '../database/database-errors.js';
import type { StatementRunner } from '../database/statement-source.js';
import { hasCurrentFunctions } from './install-functions.js';
import { MIGRATIONS } from './migrations.js';

/**
 * Whether the database has the schema that this program needs; that of a newer version serves as well. A table of
 * migrations that is not there means no.
 *
 * @throws when the connection is lost, or when the role may not read the table
 */
export async function isSchemaCurrent(database: StatementRunner): Promise<boolean> {
  try {
    const rows = (await database.query('select name from schema_migration')) as { name: string }[];
    const ran = new Set(rows.map(({ name }) => name));
    return MIGRATIONS.every(({ name }) => ran.has(name)) && (await hasCurrentFunctions(database));
  } catch (error) {
    if (failureKind(error) === 'unavailable' || isForbidden(error)) throw error;
    return false;
  }
}
