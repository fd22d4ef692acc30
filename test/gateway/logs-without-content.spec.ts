import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { migrateAll } from '../../scripts/database/migrate-all.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../scripts/postgres/embedded-postgres.js';
import { expectProblem } from '../support/expect-problem.js';
import { TestGateway } from '../support/gateway.js';
import { LogLines } from '../support/log-lines.js';

const log = new LogLines('gateway');
let dataDir: string;
let server: EmbeddedPostgres;
let gateway: TestGateway;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'heliograph-logs-'));
  server = await startEmbeddedPostgres({ dataDir, fsync: false });
  await migrateAll(server.url);
  gateway = await TestGateway.start({ databaseUrl: server.url, log });
});
afterAll(async () => {
  await gateway.close();
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const TEXT = 'the diagnosis is in the letter';
const NUMBER = '+46 700 100 200';

/** The logs of the gateway and of its database, when both have told of the failure. */
function logs(): string {
  const ofServer = readFileSync(join(dataDir, 'server.log'), 'utf8');
  expect(ofServer).toMatch(/ERROR: /);
  expect(log.saying('request failed').length).toBeGreaterThan(0);
  return ofServer + log.text;
}

test('a row that the database refuses stands in no log: not its text, not its number, not the statement', async () => {
  const account = await gateway.account();
  await gateway.database.query(
    `alter table message_order add constraint no_letters check (message not like '%letter%')`,
  );
  expectProblem(await account.send({ recipient: NUMBER, message: TEXT }), 500, 'internal_error');
  await gateway.database.query('alter table message_order drop constraint no_letters');
  expect(log.saying('request failed')).toMatchObject([
    {
      err: {
        code: '23514',
        constraint: 'no_letters',
        table: 'message_order',
        message: expect.stringMatching(/no_letters/),
      },
    },
  ]);
  for (const secret of [TEXT, NUMBER, '46700100200', 'accept_messages(']) expect(logs()).not.toContain(secret);
});

test('a value that the database cannot read is not repeated by the gateway', async () => {
  const account = await gateway.account();
  log.clear();
  await gateway.database.query(`alter table message_order add constraint no_letters check (message::integer > 0)`);
  expectProblem(await account.send({ recipient: NUMBER, message: TEXT }), 500, 'internal_error');
  await gateway.database.query('alter table message_order drop constraint no_letters');
  expect(log.saying('request failed')).toMatchObject([
    { err: { code: '22P02', message: expect.stringMatching(/"\.\.\."/) } },
  ]);
  expect(log.text).not.toContain(TEXT);
});
