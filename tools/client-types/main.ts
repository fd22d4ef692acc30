import { writeFileSync } from 'node:fs';
import { pino } from 'pino';
import { loadConfig } from '#config';
import { startGateway } from '../../apps/gateway/start-gateway.js';
import { migrateAll } from '../../scripts/database/migrate-all.js';
import { startTestBackends } from '../../scripts/test/backends.js';
import { type OpenApi, TYPES_FILE, typesOf } from './types-of.js';

const SETTINGS = { PORT: '0', HOST: '127.0.0.1', OPERATOR_PORT: '0', SECRETS_KEY: '' };

/** `npm run client:types`: writes the client's types anew, by the document of a gateway that runs for it. */
const backends = await startTestBackends({ ...process.env, TEST_DATABASE_URL: '' });
try {
  await migrateAll(backends.databaseUrl);
  const config = loadConfig({ ...SETTINGS, DATABASE_URL: backends.databaseUrl });
  const gateway = await startGateway(config, pino({ level: 'silent' }));
  try {
    const answer = await fetch(`http://127.0.0.1:${gateway.port}/openapi.json`);
    writeFileSync(TYPES_FILE, await typesOf((await answer.json()) as OpenApi));
    process.stdout.write(`${TYPES_FILE} is written.\n`);
  } finally {
    await gateway.close();
  }
} finally {
  await backends.stop();
}
