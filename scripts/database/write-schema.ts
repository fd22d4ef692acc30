import { writeFileSync } from 'node:fs';
import { startTestBackends } from '../test/backends.js';
import { SCHEMA_FILE, schemaFileOf } from './schema-file.js';

/** `npm run schema`: writes the file of the schema anew, from a database that is made and thrown away for it. */
const backends = await startTestBackends({ ...process.env, TEST_DATABASE_URL: '' });
try {
  writeFileSync(SCHEMA_FILE, await schemaFileOf(backends.databaseUrl));
  process.stdout.write(`${SCHEMA_FILE} is written.\n`);
} finally {
  await backends.stop();
}
