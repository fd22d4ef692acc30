import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { loadConfig } from '#config';
import { bookDeposit, migrateDatabase, revokeApiKey } from '#persistence';
import { startGateway } from '../../apps/gateway/start-gateway.js';
import { isBehindPooler } from '../../libs/persistence/database/pooler.js';
import { findPgBouncer, type PgBouncer, startPgBouncer } from '../../scripts/postgres/pgbouncer.js';
import { runSmsctl } from '../smsctl/run-smsctl.js';
import { createEmptyDatabase, createTestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { testRedisUrl } from '../support/redis.js';
import { TestService } from '../support/service.js';

const log = pino({ level: 'silent' });

describe('DATABASE_DIRECT_URL', () => {
  test('without DATABASE_URL is refused in one line', () => {
    const load = () => loadConfig({ DATABASE_DIRECT_URL: 'postgres://a/b' });
    expect(load).toThrow('DATABASE_DIRECT_URL needs DATABASE_URL');
  });

  test('is not asked for where there is no pooler, and is named where it does not answer', async () => {
    const database = await createTestDatabase();
    expect(await isBehindPooler(database.url)).toBe(false);
    const wrong = { DATABASE_URL: database.url, DATABASE_DIRECT_URL: 'postgres://me:sesame@127.0.0.1:1/x' };
    await expect(startGateway(loadConfig({ ...wrong, PORT: '0' }), log)).rejects.toThrow(
      /^cannot reach the database at postgres:\/\/me@127\.0\.0\.1:1\/x \(DATABASE_DIRECT_URL\): .*ECONNREFUSED/,
    );
    await database.drop();
  });
});

// Like the specs of Redis: what this machine lacks does not exist here, and REQUIRE_PGBOUNCER=1 makes its lack a
// failure.
if (findPgBouncer() !== undefined) {
  const queues = testRedisUrl() === undefined ? (['postgres'] as const) : (['postgres', 'redis'] as const);

  describe('behind a PgBouncer in transaction mode', () => {
    let pooler: PgBouncer;
    let service: TestService | undefined;
    beforeAll(async () => {
      pooler = await startPgBouncer(process.env.TEST_DATABASE_URL ?? '');
    });
    afterEach(async () => {
      const open = service;
      service = undefined;
      await open?.close();
    });
    afterAll(() => pooler.stop());

    const pooled = (hasDirectUrl: boolean) => (databaseUrl: string) => ({
      DATABASE_URL: pooler.urlOf(databaseUrl),
      ...(hasDirectUrl && { DATABASE_DIRECT_URL: databaseUrl }),
    });

    test.each(queues)(
      'with the queue on %s what is accepted is delivered, once, and every endpoint answers',
      async (backEnd) => {
        service = await TestService.start({ backEnd, workers: 2, servers: pooled(true) });
        expect(await isBehindPooler(service.settings.DATABASE_URL ?? '')).toBe(true);
        await service.sendMany(100);
        for (let single = 0; single < 10; single += 1) await service.send('46701234567', `single ${single}`);
        await service.untilStatuses({ delivered: 110 }, 100_000);
        expect(service.takenCopies).toBe(110);
        expect(await service.get('/v1/account')).toMatchObject({ totalConsumed: 1.1, creditRemaining: 998.9 });
        expect(await service.get('/v1/account/balance')).toEqual({ balance: 998.9, currency: 'EUR' });
        expect(await service.get('/v1/account/deposits')).toMatchObject({ pagination: { total: 1 } });
      },
      200_000,
    );

    test('smsctl works on either URL: the doctor, a long check of the ledger, a deposit', async () => {
      service = await TestService.start({ backEnd: 'postgres', servers: pooled(true) });
      await service.sendMany(5);
      const { DATABASE_URL = '', DATABASE_DIRECT_URL = '' } = service.settings;
      for (const servers of [{ DATABASE_URL }, { DATABASE_URL, DATABASE_DIRECT_URL }]) {
        const deposit = await runSmsctl(['deposit', service.accountId, '1', 'EUR'], servers);
        expect([deposit.code, deposit.stderr]).toEqual([0, '']);
        expect(await runSmsctl(['ledger', 'verify'], servers)).toMatchObject({ code: 0 });
        const { stdout } = await runSmsctl(['doctor', '--json'], servers);
        const { checks } = JSON.parse(stdout) as { checks: { check: string; detail: string }[] };
        // Nothing bounds a statement there: the doctor says what to set, also where it goes around the pooler itself.
        const pooled = 'DATABASE_DIRECT_URL' in servers ? 'database of processes' : 'database';
        const words = checks.find(({ check }) => check === pooled)?.detail;
        expect(words).toMatch(/alter role "heliograph" set statement_timeout/);
      }
      const dead = { DATABASE_URL: 'postgres://me:sesame@127.0.0.1:1/x', DATABASE_DIRECT_URL };
      const { code, stdout } = await runSmsctl(['doctor', '--json'], dead);
      expect([code, (JSON.parse(stdout) as { checks: unknown[] }).checks]).toEqual([
        1,
        expect.arrayContaining([
          expect.objectContaining({
            check: 'database of processes',
            state: 'fail',
            detail: expect.stringMatching(
              /^cannot reach the database at postgres:..me@127.0.0.1:1.x \(DATABASE_URL\): /,
            ),
            runbook: 'database-failover',
          }),
        ]),
      ]);
      // Who changes something is said in its own transaction: whoever has the session next is not taken for the
      // operator.
      await bookDeposit(service.database, service.accountId, { amount: 1_000_000n, currency: 'EUR' });
      const recorded = await service.database.query<{ command: string | null }>(
        `select actor ->> 'command' as command from operator_change where subject = 'deposit' order by change_id desc limit 3`,
      );
      const command = `smsctl deposit ${service.accountId} 1 EUR`;
      expect(recorded.map((row) => row.command)).toEqual([null, command, command]);
    }, 200_000);

    if (queues.length > 1) {
      test('without a direct URL a revoked key is refused all the same, within seconds', async () => {
        service = await TestService.start({ backEnd: 'redis', servers: pooled(false) });
        const open = service;
        await open.send('46701234567', 'before');
        const [key] = await open.database.query<{ key_id: string }>('select key_id from api_key');
        await revokeApiKey(open.database, key?.key_id ?? '');
        await eventually(() => expect(open.send('46701234567', 'after')).rejects.toThrow(/401/), {
          timeoutMs: 20_000,
          intervalMs: 200,
        });
      }, 200_000);
    }

    test('without a direct URL a queue in PostgreSQL and a migration are refused in one line that says what to set', async () => {
      const database = await createTestDatabase();
      const settings = { DATABASE_URL: pooler.urlOf(database.url), PORT: '0', HOST: '127.0.0.1' };
      await expect(startGateway(loadConfig(settings), log)).rejects.toThrow(
        /^a connection pooler stands before the database, and .*: set DATABASE_DIRECT_URL$/,
      );
      const empty = await createEmptyDatabase();
      await expect(migrateDatabase(pooler.urlOf(empty.url))).rejects.toThrow(/set DATABASE_DIRECT_URL$/);
      await Promise.all([database.drop(), empty.drop()]);
    });
  });
}
