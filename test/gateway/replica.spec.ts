import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { loadConfig } from '#config';
import { migrateAll } from '../../scripts/database/migrate-all.js';
import { runSmsctl } from '../smsctl/run-smsctl.js';
import type { AccountSummary } from '../support/contract.js';
import { eventually } from '../support/eventually.js';
import { OPERATOR_PASSWORD, RECIPIENT, type TestAccount, TestGateway } from '../support/gateway.js';
import { type PrimaryAndReplica, startPrimaryAndReplica } from '../support/streaming-replica.js';

const SLOW = { intervalMs: 100 };

test('DATABASE_REPLICA_URL without DATABASE_URL is refused in one line', () => {
  const load = () => loadConfig({ DATABASE_REPLICA_URL: 'postgres://a/b' });
  expect(load).toThrow('DATABASE_REPLICA_URL needs DATABASE_URL');
});

describe('with DATABASE_REPLICA_URL', () => {
  let dir: string;
  let servers: PrimaryAndReplica;
  let gateway: TestGateway;
  let other: TestGateway;
  let account: TestAccount;
  let sent = 0;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'heliograph-replica-'));
    servers = await startPrimaryAndReplica(dir);
    await migrateAll(servers.primary.url);
    const settings = { DATABASE_REPLICA_URL: servers.replica.url };
    gateway = await TestGateway.start({ databaseUrl: servers.primary.url, settings });
    other = await TestGateway.start({ beside: gateway, settings });
    account = await gateway.account({ deposit: '1000' });
  });
  afterAll(async () => {
    await other?.close();
    await gateway?.close();
    await servers?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const metric = async (name: string): Promise<number> => {
    const authorization = `Basic ${Buffer.from(`operator:${OPERATOR_PASSWORD}`).toString('base64')}`;
    const answer = await fetch(`http://127.0.0.1:${other.operatorPort}/metrics`, { headers: { authorization } });
    const lines = (await answer.text()).split('\n').filter((line) => line.startsWith(name));
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  };
  const readsFrom = (server: string) => metric(`heliograph_reads_total{server="${server}"`);

  /**
   * Sends by one gateway and reads by the other: what was answered as accepted is there, in list, summary and balance.
   */
  async function sendAndRead(times: number): Promise<void> {
    for (let time = 0; time < times; time += 1) {
      const reply = await account.send({ recipient: RECIPIENT, message: `message ${sent}` });
      expect(reply.status).toBe(201);
      sent += 1;
      const { messageId } = reply.as<{ messageId: string }>();
      const reader = account.at(other);
      const [list, summary, balance, deposits] = await Promise.all(
        ['/messages?limit=1', '', '/balance', '/deposits'].map((path) => reader.get(`/v1/account${path}`)),
      );
      expect(list?.as<{ data: unknown[]; pagination: unknown }>()).toMatchObject({
        data: [{ message_uuid: messageId }],
        pagination: { total: sent },
      });
      const { creditRemaining, orderSummary } = (summary ?? reply).as<AccountSummary>();
      expect(orderSummary.messages.count).toBe(sent);
      expect((balance ?? reply).as<{ balance: number }>().balance).toBe(creditRemaining);
      expect(creditRemaining).toBeCloseTo(1_000 - sent * 0.075, 6);
      expect(deposits?.as<{ pagination: unknown }>()).toMatchObject({ pagination: { total: 1 } });
    }
  }

  /** Until a read is answered by the replica. */
  const untilReplicaAnswers = () =>
    eventually(async () => {
      const before = await readsFrom('replica');
      await account.at(other).get('/v1/account');
      return (await readsFrom('replica')) > before;
    }, SLOW);

  test('lists and summaries come from the replica, and show what another gateway has just accepted', async () => {
    await untilReplicaAnswers();
    const before = await readsFrom('replica');
    await sendAndRead(20);
    expect(await readsFrom('replica')).toBeGreaterThan(before);
    expect(await metric('heliograph_replica_up')).toBe(1);
  });

  test('a request for what is not there leaves the replica in use', async () => {
    await eventually(async () => {
      await untilReplicaAnswers();
      const before = await readsFrom('primary');
      expect((await account.at(other).get('/v1/account/statements/2099-01')).status).toBe(404);
      await account.at(other).get('/v1/account');
      return (await readsFrom('primary')) === before;
    }, SLOW);
  });

  test('a replica that stands still is left for the primary: own sends are seen, and no read waits for it again', async () => {
    await untilReplicaAnswers();
    await servers.onReplica('select pg_wal_replay_pause()');
    await sendAndRead(1);
    const before = await readsFrom('replica');
    await sendAndRead(10);
    expect(await readsFrom('replica')).toBe(before);
    expect(await metric('heliograph_replica_lag_bytes')).toBeGreaterThan(0);
    const { stdout } = await runSmsctl(['doctor', '--json'], {
      DATABASE_URL: servers.primary.url,
      DATABASE_REPLICA_URL: servers.replica.url,
    });
    const { checks } = JSON.parse(stdout) as { checks: { check: string; detail: string }[] };
    expect(checks.find(({ check }) => check === 'replica')?.detail).toMatch(/^\d+ bytes and \d+\.\d s behind$/);
    await servers.onReplica('select pg_wal_replay_resume()');
    await untilReplicaAnswers();
    await sendAndRead(3);
  });

  test('a replica that is killed costs no read, and is read from again when it is back', async () => {
    await untilReplicaAnswers();
    await servers.killReplica();
    await sendAndRead(10);
    expect(await metric('heliograph_replica_up')).toBe(0);
    await servers.restartReplica();
    await untilReplicaAnswers();
    await sendAndRead(3);
  });

  test('the doctor says that commits wait for a synchronous replica, while the database answers reads', async () => {
    const awaitReplica = (names: string) =>
      servers.onPrimary(`alter system set synchronous_standby_names = '${names}'`, 'select pg_reload_conf()');
    await awaitReplica('nobody');
    try {
      await eventually(async () => {
        const { stdout } = await runSmsctl(['doctor', '--json'], { DATABASE_URL: servers.primary.url });
        const { checks } = JSON.parse(stdout) as { checks: { check: string; state: string; detail: string }[] };
        const found = checks.find(({ check }) => check === 'database');
        expect(found).toMatchObject({ state: 'fail' });
        expect(found?.detail).toMatch(
          /; commits have waited \d+ s for a synchronous replica: nothing is accepted or sent$/,
        );
      }, SLOW);
    } finally {
      await awaitReplica('');
    }
    await sendAndRead(1);
  });

  test('a server that is no replica is not read from, and the service works', async () => {
    const settings = { DATABASE_REPLICA_URL: servers.primary.url };
    const wrong = await TestGateway.start({ beside: gateway, settings });
    const reply = await account.at(wrong).get('/v1/account/messages');
    expect(reply.as<{ pagination: unknown }>()).toMatchObject({ pagination: { total: sent } });
    await wrong.close();
    const { stdout } = await runSmsctl(['doctor'], { DATABASE_URL: servers.primary.url, ...settings });
    expect(stdout).toMatch(/replica .*it is no replica/);
  });
});
