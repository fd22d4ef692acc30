import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import {
  changeAccount,
  putInBacklog,
  releaseHold,
  resumeAccount,
  setCarrierPaused,
  setHold,
  suspendAccount,
} from '#persistence';
import type { ReportedCarrier } from '../../apps/worker/carriers/carrier-reports.js';
import { ALIVE_WITHIN_SECONDS, recordHeartbeat } from '../../libs/persistence/database/heartbeat.js';
import { batchOf, TestLedger } from '../support/test-ledger.js';

const DRAIN_SECONDS = 10;

let ledger: TestLedger;
/** One without a rate of its own, and one that takes 50 segments a second. */
let open: { id: number; name: string };
let limited: { id: number; name: string };
beforeAll(async () => {
  ledger = await TestLedger.create();
  open = await carrierNamed('open');
  limited = await carrierNamed('limited', 50);
});
beforeEach(async () => {
  await ledger.forgetOpenWork();
  await ledger.database.query('delete from process_heartbeat');
});
afterAll(() => ledger.close());

async function carrierNamed(name: string, submitsPerSecond?: number) {
  const id = await ledger.carrier({ name, ...(submitsPerSecond !== undefined && { submitsPerSecond }) });
  return { id, name };
}

/** As real workers write it. */
type Report = Pick<ReportedCarrier, 'name' | 'readiness'> & Partial<Pick<ReportedCarrier, 'pace'>>;

/** A live worker that says this of its carriers. */
async function worker(processId: string, ...carriers: readonly Report[]): Promise<void> {
  const details = { carriers: carriers.map((carrier) => ({ pace: 0, ...carrier })) };
  await recordHeartbeat(ledger.database, { processId, role: 'worker', details });
}

/** A batch of so many messages that waits, for a carrier or for any. */
async function backlog(count: number, carrierId = 0): Promise<string> {
  const account = await ledger.account(count);
  const messages = Array.from({ length: count }, () => ledger.message());
  await ledger.accept(account, [batchOf(messages)]);
  if (carrierId !== 0) {
    await ledger.database.query('update dispatch_backlog set carrier_id = $2 where account_id = $1', [
      account,
      carrierId,
    ]);
    await ledger.database.query('update dispatch_turn set carrier_id = $2 where account_id = $1', [account, carrierId]);
  }
  return account;
}

async function demand(): Promise<number> {
  const [row] = await ledger.database.query<{ demand: number }>('select dispatch_demand($1) as demand', [
    DRAIN_SECONDS,
  ]);
  return row?.demand ?? Number.NaN;
}

describe('workers are wanted for what they hand over and for what waits', () => {
  test('an idle service wants none', async () => {
    await worker('worker-1', { name: open.name, readiness: 'up' });
    expect(await demand()).toBe(0);
  });

  test('what all live workers hand over counts, so that their number stays while they keep up', async () => {
    await worker('worker-1', { name: open.name, readiness: 'up', pace: 900 });
    await worker(
      'worker-2',
      { name: open.name, readiness: 'up', pace: 850 },
      { name: limited.name, readiness: 'up', pace: 20 },
    );
    expect(await demand()).toBe(1_770);
  });

  test('what waits counts as if it should be gone in ten seconds, batches and single messages alike', async () => {
    await worker('worker-1', { name: open.name, readiness: 'up', pace: 100 });
    await backlog(300);
    const account = await ledger.account(101);
    const singles = Array.from({ length: 100 }, () => ledger.message());
    await ledger.accept(
      account,
      singles.map((message) => ({ ...batchOf([message]), inBacklog: true })),
    );
    expect(await demand()).toBe(100 + 40);
    await putInBacklog(ledger.database, [(await ledger.queued(account)).id], open.id, 'interactive');
    expect(await demand()).toBe(100 + 41);
  });

  test('a worker that died is not counted', async () => {
    await worker('worker-1', { name: open.name, readiness: 'up', pace: 500 });
    await ledger.database.query('update process_heartbeat set seen_at = now() - make_interval(secs => $1)', [
      ALIVE_WITHIN_SECONDS - 2,
    ]);
    expect(await demand()).toBe(500);
    await ledger.database.query('update process_heartbeat set seen_at = now() - make_interval(secs => $1)', [
      ALIVE_WITHIN_SECONDS,
    ]);
    expect(await demand()).toBe(0);
  });
});

describe('no workers are wanted for what they could not send sooner', () => {
  test('a carrier takes no more than its rate', async () => {
    await worker('worker-1', { name: limited.name, readiness: 'up', pace: 20 });
    await backlog(1_000, limited.id);
    expect(await demand()).toBe(50);
  });

  test('what no carrier is chosen for counts up to what all carriers together still take', async () => {
    await worker('worker-1', { name: limited.name, readiness: 'up', pace: 20 });
    await backlog(100, limited.id);
    await backlog(1_000);
    expect(await demand()).toBe(50);
    await worker('worker-1', { name: limited.name, readiness: 'up', pace: 20 }, { name: open.name, readiness: 'up' });
    expect(await demand()).toBe(20 + 10 + 100);
  });

  test.each(['throttled', 'down', 'excluded', 'bound-elsewhere'])(
    'a carrier that is %s takes no more',
    async (readiness) => {
      await worker('worker-1', { name: open.name, readiness, pace: 30 });
      await backlog(1_000, open.id);
      expect(await demand()).toBe(30);
    },
  );

  test('a paused carrier takes nothing', async () => {
    await worker('worker-1', { name: open.name, readiness: 'up', pace: 30 });
    await backlog(1_000, open.id);
    await setCarrierPaused(ledger.database, open.name, true);
    expect(await demand()).toBe(0);
    await setCarrierPaused(ledger.database, open.name, false);
    expect(await demand()).toBe(130);
  });

  test('messages of an account that are held wait for an operator, not for workers', async () => {
    await worker('worker-1', { name: open.name, readiness: 'up' });
    const account = await backlog(1_000);
    await suspendAccount(ledger.database, account, 'hold');
    expect(await demand()).toBe(0);
    await resumeAccount(ledger.database, account);
    expect(await demand()).toBe(100);
  });

  test('during a hold nothing that waits counts', async () => {
    await worker('worker-1', { name: open.name, readiness: 'up', pace: 30 });
    await backlog(1_000);
    await setHold(ledger.database, 'a test');
    expect(await demand()).toBe(30);
    await releaseHold(ledger.database);
    expect(await demand()).toBe(130);
  });

  test('an account counts with no more messages than it may have in flight', async () => {
    await worker('worker-1', { name: open.name, readiness: 'up' });
    await changeAccount(ledger.database, await backlog(1_000), { maxInFlight: 20 });
    expect(await demand()).toBe(2);
  });
});

test('the role that asks needs no right to read a table, and cannot put tables of its own in their place', async () => {
  await worker('worker-1', { name: open.name, readiness: 'up', pace: 30 });
  const role = `scaler_${randomBytes(6).toString('hex')}`;
  await ledger.database.query(`create role ${role} login password '${role}'`);
  const url = new URL(ledger.url);
  [url.username, url.password] = [role, role];
  const client = new pg.Client({ connectionString: url.href });
  try {
    await client.connect();
    await expect(client.query('select from message_order')).rejects.toThrow(/permission denied/);
    await client.query('create temp table process_heartbeat (role text, seen_at timestamptz, details jsonb)');
    const { rows } = await client.query(`select dispatch_demand(${DRAIN_SECONDS}) as demand`);
    expect(rows).toEqual([{ demand: 30 }]);
  } finally {
    await client.end();
    await ledger.database.query(`drop role ${role}`);
  }
});
