import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { loadConfig, processDetails, VERSION } from '#config';
import { type Diagnosis, doctor } from '#operations';
import { Database } from '#persistence';
import { type ProcessRole, recordHeartbeat } from '../../libs/persistence/database/heartbeat.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { CHEAPEST_BACK_END, QUEUE_BACK_ENDS } from '../support/queue.js';
import { testRedisUrl } from '../support/redis.js';
import { TestService } from '../support/service.js';
import { ended, spawnWorker } from '../support/worker-process.js';
import { runSmsctl } from './run-smsctl.js';

const REDIS = { REDIS_URL: 'redis://user:secret@redis.example:6379/3' };

describe('doctor compares the processes that run', () => {
  let server: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    server = await createTestDatabase();
    database = await Database.open({ url: server.url, poolSize: 2, applicationName: 'spec' });
  });
  beforeEach(() => database.query('delete from process_heartbeat'));
  afterAll(async () => {
    await database.close();
    await server.drop();
  });

  const beat = (
    processId: string,
    role: ProcessRole,
    settings: Readonly<Record<string, string>> = {},
    details: Readonly<Record<string, unknown>> = {},
  ) =>
    recordHeartbeat(database, {
      processId,
      role,
      details: { ...processDetails(loadConfig(settings), role), ...details },
    });
  const finding = async (check: string, redisUrl?: string): Promise<Diagnosis['checks'][number] | undefined> => {
    const servers = { replicaUrl: undefined, redisUrl, source: 'spec', examiner: 'smsctl' };
    return (await doctor(servers, async () => database)).checks.find((found) => found.check === check);
  };

  test('what it found before the database refused a question is told, with the reason', async () => {
    await beat('w', 'worker');
    await database.query('alter table route rename to route_away');
    const servers = { replicaUrl: undefined, redisUrl: undefined, source: 'spec', examiner: 'smsctl' };
    const { isWell, checks } = await doctor(servers, async () => database);
    await database.query('alter table route_away rename to route');
    expect(isWell).toBe(false);
    expect(checks).toContainEqual(expect.objectContaining({ check: 'workers', detail: '1 alive' }));
    expect(checks.at(-1)).toEqual({
      check: 'database',
      state: 'fail',
      detail: 'it refused a question, so not all was examined: relation "route" does not exist',
      runbook: 'database-failover',
    });
  });

  test('it names the version that runs', async () => {
    await beat('g', 'gateway');
    expect(await finding('versions')).toMatchObject({ state: 'ok', detail: expect.stringContaining(VERSION) });
  });

  test('it warns of processes of different versions, and says which is which', async () => {
    await beat('g', 'gateway');
    await recordHeartbeat(database, { processId: 'w', role: 'worker', details: {} });
    expect(await finding('versions')).toMatchObject({
      check: 'versions',
      state: 'warn',
      detail: `different ones run: ${VERSION} (g), older than 0.2.0 (w)`,
    });
  });

  test('it warns when it is of another version than the service', async () => {
    await beat('g', 'gateway', {}, { version: '9.9.9' });
    expect(await finding('versions')).toMatchObject({ state: 'warn', detail: expect.stringContaining('9.9.9') });
  });

  test('it fails when the processes use Redis and it was told of none, and shows no password', async () => {
    await beat('g', 'gateway', REDIS);
    await beat('w', 'worker', REDIS);
    const found = await finding('queue of processes');
    expect(found).toEqual({
      check: 'queue of processes',
      state: 'fail',
      detail:
        'the processes use Redis at redis.example:6379/3, but smsctl looked at PostgreSQL: set REDIS_URL for smsctl',
      runbook: 'redis-lost',
    });
  });

  test('it fails when it looks at another database of the same Redis', async () => {
    await beat('w', 'worker', { REDIS_URL: 'redis://127.0.0.1:1/3' });
    expect(await finding('queue of processes', 'redis://127.0.0.1:1/4')).toMatchObject({ state: 'fail' });
    expect(await finding('queue of processes', 'redis://localhost:1/3')).toMatchObject({ state: 'ok' });
  });

  test('it fails when gateways and workers use different queues', async () => {
    await beat('g', 'gateway');
    await beat('w', 'worker', REDIS);
    expect(await finding('queue of processes')).toMatchObject({
      check: 'queue of processes',
      state: 'fail',
      detail:
        'they use different queues: PostgreSQL (g), Redis at redis.example:6379/3 (w); set the same REDIS_URL for all of them',
    });
  });

  test('it fails when workers have no answer from their queue, which answers here', async () => {
    const carriers = (waitingJobs: number | null) => ({
      carriers: [
        { name: 'a', state: 'bound', waitingJobs, jobPace: 0 },
        { name: 'b', state: 'down', waitingJobs, jobPace: 0 },
      ],
    });
    await beat('g', 'gateway');
    await beat('w1', 'worker', {}, carriers(0));
    await beat('w2', 'worker', {}, carriers(null));
    await beat('w3', 'worker', {}, { carriers: [] });
    await beat('a worker of 0.2.0', 'worker', {}, { carriers: [{ name: 'a', state: 'bound', waitingJobs: null }] });
    expect(await finding('queue of processes')).toEqual({
      check: 'queue of processes',
      state: 'fail',
      detail: 'PostgreSQL does not answer w2, whose log says why',
      runbook: 'redis-lost',
    });
  });

  test('it says nothing of the queue while only a process that uses none is alive', async () => {
    await beat('h', 'webhooks');
    expect(await finding('versions')).toMatchObject({ state: 'ok' });
    expect(await finding('queue of processes')).toBeUndefined();
  });

  test('it warns of settings that processes must share, and not of those that they need not', async () => {
    await beat('g1', 'gateway', { ACCEPT_PENDING_MAX: '10', PORT: '4000' });
    await beat('g2', 'gateway');
    expect(await finding('settings')).toMatchObject({ state: 'ok' });
    await beat('g2', 'gateway', { BATCH_MESSAGES_MAX: '500' });
    expect(await finding('settings')).toMatchObject({
      check: 'settings',
      state: 'warn',
      detail: 'processes differ: BATCH_MESSAGES_MAX is 1000 (g1), 500 (g2)',
    });
  });

  test.each([
    ['gateways must know of the cap on messages in flight too', 'gateway', { ACCOUNT_IN_FLIGHT_MAX: '50' }],
    ['gateways and workers use the sender', 'gateway', { SENDER: 'Example' }],
    ['workers keep the keys of requests', 'worker', { IDEMPOTENCY_KEY_HOURS: '72' }],
    ['a trace needs one ratio', 'worker', { TRACE_SAMPLE_RATIO: '0.5' }],
  ] as const)('it warns of one process with another setting: %s', async (_, role, settings) => {
    await beat('g1', 'gateway');
    await beat('w1', 'worker');
    await beat('other', role, settings);
    const [name = ''] = Object.keys(settings);
    expect(await finding('settings')).toMatchObject({
      state: 'warn',
      detail: expect.stringContaining(`: ${name} is `),
    });
  });

  test('it warns of a process whose clock is off', async () => {
    await beat('w', 'worker');
    expect(await finding('clocks of processes')).toMatchObject({ state: 'ok' });
    await beat('w', 'worker', {}, { clockOffsetMs: -60_000 });
    expect(await finding('clocks of processes')).toMatchObject({
      state: 'warn',
      detail: expect.stringMatching('w is 60.0 s behind'),
    });
  });
});

test('a worker that was killed is named, also when another one has taken over what it had', async () => {
  const service = await TestService.start({ backEnd: CHEAPEST_BACK_END });
  try {
    const killed = spawnWorker(service);
    const isThere = (count: number) =>
      eventually(async () => {
        const rows = await service.database.query("select 1 from process_heartbeat where role = 'worker'");
        expect(rows).toHaveLength(count);
      });
    await isThere(2);
    await ended(killed, 'SIGKILL');
    await service.database.query(
      "update process_heartbeat set seen_at = now() - interval '40 seconds' where process_id ~ $1",
      [`-${killed.pid}-`],
    );
    // The other worker has taken over what it had.
    await eventually(async () => {
      const rows = await service.database.query("select 1 from process_heartbeat where details ? 'takenOver'");
      expect(rows).toHaveLength(1);
    });
    const environment = { DATABASE_URL: service.settings.DATABASE_URL ?? '' };
    const { stdout } = await runSmsctl(['doctor', '--json'], environment, { isWarm: true });
    const { checks } = JSON.parse(stdout) as { checks: Diagnosis['checks'][number][] };
    expect(checks.find(({ check }) => check === 'silent processes')).toMatchObject({
      check: 'silent processes',
      state: 'warn',
      detail: expect.stringMatching(
        new RegExp(`^silent without having stopped: worker-\\S+-${killed.pid}-\\S+ for [4-9]\\d s; it died, or`),
      ),
    });
  } finally {
    await service.close();
  }
});

describe.each(QUEUE_BACK_ENDS)('a service with the queue on %s', (backEnd) => {
  test('tells smsctl where its queue is, and smsctl fails when it looks elsewhere', async () => {
    const service = await TestService.start({ backEnd });
    try {
      const check = async (settings: Record<string, string>) => {
        const { stdout } = await runSmsctl(['doctor', '--json'], {
          DATABASE_URL: service.settings.DATABASE_URL ?? '',
          ...settings,
        });
        const { checks } = JSON.parse(stdout) as { checks: Diagnosis['checks'][number][] };
        return checks.find((finding) => finding.check === 'queue of processes')?.state;
      };
      const own = testRedisUrl() ?? 'redis://127.0.0.1:1';
      expect(await check(backEnd === 'redis' ? { REDIS_URL: own } : {})).toBe('ok');
      expect(await check(backEnd === 'redis' ? {} : { REDIS_URL: own })).toBe('fail');
    } finally {
      await service.close();
    }
  });
});
