import pg from 'pg';
import { migrateDatabase } from '#persistence';
import { describeSchema } from './describe-schema.js';

/** From the root of the repository. */
export const SCHEMA_FILE = 'libs/persistence/schema/schema.sql';

const HEADER = `-- The tables as all migrations together make them. Written by \`npm run schema\`; never edited. The reasons for tables and
-- columns stand in the migrations that made them; the functions stand in the .sql files of the other folders.
-- Money is bigint micro-units (10^-6 of a currency unit). Times are the database's own. Hot tables have no foreign keys,
-- because each would cost an index probe per row; \`smsctl ledger verify\` recomputes what they would have guarded.
`;

/** What SCHEMA_FILE has to say of this empty database; migrates it. */
export async function schemaFileOf(databaseUrl: string): Promise<string> {
  await migrateDatabase(databaseUrl);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return `${HEADER}\n${await describeSchema(client)}`;
  } finally {
    await client.end();
  }
}
