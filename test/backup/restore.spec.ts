import { afterEach, describe, expect, test } from '@jest/globals';
import { doctor } from '#operations';
import { findHold, releaseHold } from '#persistence';
import type { QueueBackEnd } from '#queue';
import { createApiKey } from '../../libs/persistence/accounts/api-keys.js';
import { claimOrders } from '../support/dispatch-steps.js';
import { eventually } from '../support/eventually.js';
import { CHEAPEST_BACK_END, openQueue, QUEUE_BACK_ENDS } from '../support/queue.js';
import { numberOf, TestService, type TestServiceOptions, UNIT_PRICE } from '../support/service.js';
import { RestoredService } from './restored-service.js';

const ORDERS = 30;
/** Of them, orders that were just being written when the copy was taken. */
const IN_FLIGHT = 5;

interface Restored {
  readonly copy: RestoredService;
  readonly ids: string[];
  readonly apiKey: string;
  readonly accountId: string;
}

/** For the tests of a block: a service, and what is restored of it. */
function restores(backEnd: QueueBackEnd) {
  let service: TestService | undefined;
  let restored: RestoredService | undefined;
  afterEach(async () => {
    const [copy, original] = [restored, service];
    restored = undefined;
    service = undefined;
    try {
      await copy?.close();
    } finally {
      await original?.close();
    }
  });

  const start = async (options: Omit<TestServiceOptions, 'backEnd'> = {}): Promise<TestService> => {
    service = await TestService.start({ backEnd, ...options });
    return service;
  };

  /** Messages that were open when the copy was taken, and that the original has sent and heard of since. */
  async function restoreOfDispatched(): Promise<Restored> {
    const service = await start();
    const apiKey = await createApiKey(service.database, service.accountId);
    await service.send(numberOf(999), 'so that the service has worked on this database');
    await service.untilStatuses({ delivered: 1 });
    const [worker] = service.runningWorkers;
    if (worker !== undefined) await service.stopWorker(worker);

    const ids = await service.sendMany(ORDERS);
    const [row] = await service.database.query<{ carrier_id: number }>(
      'select carrier_id from carrier where carrier_id > 0',
    );
    const carrierId = row?.carrier_id ?? 0;
    const owner = { workerId: 'gone', carrierId, leaseSeconds: 1 };
    // Every worker says that it lives before it claims; this one has not said so for long.
    await service.database.query(
      "insert into process_heartbeat (process_id, role, seen_at) values ('gone', 'worker', now() - interval '1 hour')",
    );
    const claimed = await claimOrders(service.database, ids.slice(0, IN_FLIGHT), owner);
    expect(claimed).toHaveLength(IN_FLIGHT);
    restored = await RestoredService.copyOf(service);

    const last = await service.startWorker();
    await service.untilStatuses({ delivered: ORDERS + 1 });
    await service.stopWorker(last);
    expect(restored.submitsTaken).toBe(ORDERS + 1);
    return { copy: restored, ids, apiKey: apiKey.apiKey, accountId: service.accountId };
  }

  return { start, restoreOfDispatched };
}

describe.each(QUEUE_BACK_ENDS)('with the queue on %s, after a restore', (backEnd) => {
  const { restoreOfDispatched } = restores(backEnd);

  test('nothing that may have gone out is sent again before a release, and new messages go out at once', async () => {
    const { copy, ids, apiKey } = await restoreOfDispatched();
    // Jobs that are left over from before the restore are hints, and hints only.
    const { queues, close } = await openQueue(copy.settings);
    await queues.enqueue('simulator', 'interactive', ids);
    await close();

    await Promise.all([copy.startWorker(), copy.startWorker()]);
    expect(copy.notices).toHaveLength(1);
    const after = await copy.send(apiKey, numberOf(500));
    await copy.untilStatuses([after], { delivered: 1 });
    await copy.untilSettled();
    expect(copy.submitsTaken).toBe(ORDERS + 2);
    expect(await copy.statuses(ids)).toEqual({ queued: ORDERS - IN_FLIGHT, sending: IN_FLIGHT });
    expect(await copy.readiness()).toMatchObject({ status: 'ready', hold: 'active' });

    // A worker that starts again knows the database by now and holds nothing more.
    await copy.startWorker();
    const second = await copy.send(apiKey, numberOf(501));
    await copy.untilStatuses([second], { delivered: 1 });
    const show = await copy.smsctl<{ messages: number; held: object[] }>('hold', 'show');
    expect(show).toMatchObject({
      messages: ORDERS,
      held: [
        { state: 'queued', orders: ORDERS - IN_FLIGHT, inDoubt: 0, expired: 0 },
        { state: 'sending', orders: IN_FLIGHT, inDoubt: IN_FLIGHT, expired: 0 },
      ],
    });
    expect((await copy.run('doctor')).stdout).toMatch(/held messages +warn +30 messages/);

    expect(await copy.smsctl('hold', 'release')).toEqual({ released: ORDERS });
    expect(await copy.smsctl('receipts', 'orphans')).toEqual([]);
    await copy.untilStatuses(ids, { delivered: ORDERS });
    expect(copy.submitsTaken).toBe(ORDERS * 2 + 3);
  });
});

// The database knows what is held.
describe('after a restore', () => {
  const { start, restoreOfDispatched } = restores(CHEAPEST_BACK_END);

  test('that left no trace, a worker that is told to holds what is open, once', async () => {
    const service = await start({ workers: 0, settings: { HOLD_AT_START: 'on' } });
    const ids = await service.sendMany(3);
    await Promise.all([service.startWorker(), service.startWorker()]);
    const after = await service.send(numberOf(10), 'after');
    await service.untilEnded(new Map([[after, 'delivered']]));
    expect(await service.statuses()).toEqual({ queued: ids.length, delivered: 1 });
    const holds = await service.database.query('select from dispatch_hold');
    expect(holds).toHaveLength(1);
  });

  test('held messages end as an operator decides, and the books stay right', async () => {
    const { copy, ids, accountId } = await restoreOfDispatched();
    await copy.startWorker();
    const queued = ids.slice(IN_FLIGHT);
    await copy.database.query(
      `update message_order set created_at = created_at - interval '1 hour' where id = any($1::uuid[])`,
      [queued.slice(0, 10)],
    );
    const hour = new Date(Date.now() - 1_800_000).toISOString();

    expect(await copy.smsctl('hold', 'resolve', '--as', 'refund', '--to', hour)).toMatchObject({
      resolved: 10,
      left: ORDERS - 10,
    });
    expect(await copy.statuses(queued.slice(0, 10))).toEqual({ failed: 10 });

    expect(await copy.smsctl('hold', 'resolve', '--as', 'unknown', '--state', 'queued')).toMatchObject({
      resolved: 15,
      left: IN_FLIGHT,
    });
    expect(await copy.statuses(queued.slice(10))).toEqual({ unknown: 15 });
    const [money] = await copy.database.query<{ reserved: string; captured: string }>(
      'select reserved, captured from account_balance',
    );
    expect(BigInt(money?.captured ?? 0)).toBe(UNIT_PRICE * 16n);
    expect(BigInt(money?.reserved ?? 0)).toBe(UNIT_PRICE * BigInt(IN_FLIGHT));
    expect(copy.submitsTaken).toBe(ORDERS + 1);

    expect(await copy.smsctl('hold', 'resolve', '--as', 'resend', '--account', accountId)).toMatchObject({
      resolved: IN_FLIGHT,
      left: 0,
    });
    await copy.untilStatuses(ids.slice(0, IN_FLIGHT), { delivered: IN_FLIGHT });
    expect(copy.submitsTaken).toBe(ORDERS + 1 + IN_FLIGHT);
    expect(await copy.smsctl('hold', 'release')).toEqual({ released: 0 });
    expect((await copy.run('hold', 'release')).stderr).toBe('smsctl: no hold is active\n');
  });

  test('a worker that ran on through the restore notices it, and holds what is open', async () => {
    const running = await start({ carrier: 'none' });
    const before = await running.send(numberOf(1), 'before');
    // What the end of an archive recovery leaves behind.
    await running.database.query('update database_identity set timeline = timeline + 1');
    await eventually(async () => (await findHold(running.database)) !== undefined);
    await running.addCarrier();
    const after = await running.send(numberOf(2), 'after');
    await running.untilEnded(new Map([[after, 'delivered']]));
    expect((await running.messages()).get(before)?.status).toBe('queued');
    expect([...running.takenByNumber.keys()]).toEqual([numberOf(2)]);
    const servers = {
      replicaUrl: undefined,
      redisUrl: undefined,
      source: 'spec',
      examiner: 'smsctl',
    };
    await running.database.query(`update message_order set created_at = created_at - interval '1 hour'`);
    const { checks } = await doctor(servers, async () => running.database);
    expect(checks).toContainEqual(expect.objectContaining({ check: 'queued messages', state: 'ok' }));
    await releaseHold(running.database);
    await running.untilStatuses({ delivered: 2 });
  });
});
