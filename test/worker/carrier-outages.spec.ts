import { describe, expect, test } from '@jest/globals';
import { queueList } from '#operations';
import { removeCarrier, setCarrierPaused } from '#persistence';
import { startSimulator } from '../../apps/carrier-simulator/simulator.js';
import { eventually } from '../support/eventually.js';
import { CHEAPEST_BACK_END, QUEUE_BACK_ENDS } from '../support/queue.js';
import { type TestService, UNIT_PRICE } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

const taken = (running: TestService, count: number) =>
  running.simulator.records.until(({ submits }) => submits.filter(({ isTaken }) => isTaken).length >= count);

describe.each(QUEUE_BACK_ENDS)('with the queue on %s', (backEnd) => {
  const start = sharedService({ backEnd });

  test('a carrier that is away gets everything once it is back, each message once', async () => {
    const running = await start();
    await running.send('46701234567', 'before');
    await running.untilStatuses({ delivered: 1 });
    await running.simulator.close();
    await running.sendMany(40);
    expect(await running.statuses()).toEqual({ delivered: 1, queued: 40 });
    await running.restartSimulator();
    await running.untilStatuses({ delivered: 41 });
    expect([...running.takenByNumber.values()]).toEqual(Array(40).fill(1));
  });

  test('a paused carrier gets nothing until it is resumed, and one that was removed nothing ever', async () => {
    const running = await start();
    await running.addCarrier({ name: 'gone' });
    await removeCarrier(running.database, 'gone');
    await setCarrierPaused(running.database, 'simulator', true);
    await eventually(async () => expect(await carriersOf(running)).toEqual([{ name: 'simulator', paused: true }]));
    await running.sendMany(20);
    await eventually(async () => (await offersOf(running)) > 0);
    expect(await running.statuses()).toEqual({ queued: 20 });
    expect(running.simulator.records.submits).toEqual([]);
    await setCarrierPaused(running.database, 'simulator', false);
    await running.untilStatuses({ delivered: 20 });
  });

  test('what is on the queue of a carrier that is removed goes out by another one, and waits for no deadline', async () => {
    const running = await start({
      settings: { SWEEP_AFTER_SECONDS: '600', WORKER_CONCURRENCY: '1' },
      simulator: { latencyMs: 200 },
      carrier: { name: 'slow', windowSize: 2 },
    });
    const ids = await running.sendMany(30);
    await taken(running, 2);
    const other = await startSimulator({ receiptDelayMs: 5 });
    try {
      await running.addCarrier({ name: 'other', host: other.host, port: other.port });
      await removeCarrier(running.database, 'slow');
      await eventually(async () => {
        const { delivered = 0, sent = 0 } = await running.statuses();
        expect(delivered + sent).toBe(ids.length);
      });
      expect(other.records.submits.length).toBeGreaterThan(0);
    } finally {
      await other.close();
    }
  });

  /** What the worker has told the database of its carriers. */
  async function carriersOf({ database }: TestService): Promise<{ name: string; paused: boolean }[]> {
    const [row] = await database.query<{ details: { carriers: { name: string; paused: boolean }[] } }>(
      "select details from process_heartbeat where role = 'worker'",
    );
    return (row?.details.carriers ?? []).map(({ name, paused }) => ({ name, paused }));
  }

  /** Orders that the reconciler has offered again by now, so that the workers had every chance to take them. */
  async function offersOf({ database, accountId }: TestService): Promise<number> {
    const [row] = await database.query<{ n: number }>(
      `select count(*)::integer as n from message_order
        where account_id = $1 and due_at > created_at + interval '1.5 s'`,
      [accountId],
    );
    return row?.n ?? 0;
  }
});

// The worker's connections and the database decide this, not the queue.
describe('a carrier', () => {
  const start = sharedService({ backEnd: CHEAPEST_BACK_END });

  test('connections that drop in mid-flight lose no message, double at most the window, and charge each once', async () => {
    const running = await start({ simulator: { latencyMs: 20 }, carrier: { windowSize: 10 } });
    await running.sendMany(150);
    for (const count of [30, 80]) {
      await taken(running, count);
      running.simulator.disconnectAll();
    }
    await running.untilStatuses({ delivered: 150 });
    expect(running.takenByNumber.size).toBe(150);
    const copies = running.takenCopies;
    expect(copies - 150).toBeLessThanOrEqual(2 * 10);
    expect(await running.figures()).toEqual({ reserved: 0n, captured: 150n * UNIT_PRICE });
  });

  test('without any carrier messages wait, queued and reserved, until one is added, whose rate shows then', async () => {
    const running = await start({ carrier: 'none' });
    await running.sendMany(30);
    expect(await running.statuses()).toEqual({ queued: 30 });
    expect(await running.figures()).toEqual({ reserved: 30n * UNIT_PRICE, captured: 0n });
    await running.addCarrier();
    await running.untilStatuses({ delivered: 30 });
    await eventually(
      async () => {
        // Without new messages a rate falls to 0 again within seconds.
        await running.sendMany(1);
        const { carriers } = await queueList(running.database, () => Promise.reject(new Error('not asked here')));
        expect(carriers).toMatchObject([{ jobs: null, jobsPerSecond: expect.any(Number) }]);
        expect(carriers[0]?.jobsPerSecond).toBeGreaterThan(0);
      },
      { intervalMs: 500 },
    );
  });

  test('a carrier that throttles gets everything at its own pace, each message once', async () => {
    const running = await start({ simulator: { submitsPerSecond: 40 }, carrier: { windowSize: 50 } });
    await running.sendMany(160);
    await running.untilStatuses({ delivered: 160 });
    expect([...new Set(running.takenByNumber.values())]).toEqual([1]);
  });
});
