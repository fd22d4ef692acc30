import { afterEach, describe, expect, test } from '@jest/globals';
import { addRoute, type CarrierSettings, changeCarrier, removeRoute, setCarrierPaused } from '#persistence';
import type { SimulatorOptions } from '../../apps/carrier-simulator/options.js';
import { type RunningSimulator, startSimulator } from '../../apps/carrier-simulator/simulator.js';
import { eventually } from '../support/eventually.js';
import { scrape } from '../support/metrics.js';
import { CHEAPEST_BACK_END, QUEUE_BACK_ENDS } from '../support/queue.js';
import { numberOf, type TestService, UNIT_PRICE } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

const others: RunningSimulator[] = [];
afterEach(async () => {
  for (const other of others.splice(0)) await other.close();
});

/** One more carrier, with a simulator of its own. */
async function another(
  running: TestService,
  name: string,
  options: SimulatorOptions = {},
  settings: Partial<CarrierSettings> = {},
): Promise<RunningSimulator> {
  const simulator = await startSimulator({ receiptDelayMs: 5, ...options });
  others.push(simulator);
  await running.addCarrier({ name, port: simulator.port, host: simulator.host, ...settings });
  return simulator;
}

const route = (running: TestService, prefix: string, carrier: string, rank = 1, weight = 1) =>
  addRoute(running.database, { prefix, carrier, rank, weight, cost: undefined }, true);

const taken = (simulator: RunningSimulator) =>
  simulator.records.submits.filter(({ isTaken }) => isTaken).map(({ destination }) => destination.value);

/** Until the worker says so of its carriers. */
async function untilStates(running: TestService, wanted: Readonly<Record<string, string>>): Promise<void> {
  await eventually(async () => {
    const [row] = await running.database.query<{
      details: { carriers: { name: string; readiness: string }[] };
    }>("select details from process_heartbeat where role = 'worker'");
    const states = Object.fromEntries((row?.details.carriers ?? []).map((each) => [each.name, each.readiness]));
    expect(states).toEqual(wanted);
  });
}

describe.each(QUEUE_BACK_ENDS)('routes, with the queue on %s', (backEnd) => {
  const start = sharedService({ backEnd, carrier: { name: 'first' } });

  test('when a carrier goes down, what waits for it goes out by the next rank, each message once', async () => {
    const running = await start({ simulator: { latencyMs: 50 }, carrier: { name: 'first', windowSize: 2 } });
    const second = await another(running, 'second');
    await route(running, '46', 'first', 1);
    await route(running, '46', 'second', 2);
    await untilStates(running, { first: 'up', second: 'up' });
    await running.sendMany(150);
    await running.simulator.records.until(({ submits }) => submits.length >= 20);
    expect(taken(second)).toEqual([]);
    await running.simulator.close();
    // Receipts that the first one still owed died with it.
    await eventually(
      async () => {
        const { delivered = 0, sent = 0 } = await running.statuses();
        expect(delivered + sent).toBe(150);
      },
      { intervalMs: 200 },
    );
    const all = [...taken(running.simulator), ...taken(second)];
    expect(new Set(all).size).toBe(150);
    // Only what was under way when the connection broke may have gone out twice.
    expect(all.length).toBeLessThanOrEqual(152);
  });

  test('what waits for a paused carrier goes to the next one of its route; without one it stays, and goes on resume', async () => {
    const running = await start();
    const second = await another(running, 'second');
    await route(running, '46', 'first', 1);
    await route(running, '46', 'second', 2);
    await route(running, '49', 'first', 1);
    await setCarrierPaused(running.database, 'first', true);
    await untilStates(running, { first: 'paused', second: 'up' });
    await running.sendMany(30);
    await running.sendBatch(
      Array.from({ length: 30 }, (_, index) => ({ recipient: `49151234567${10 + index}`, message: 'waits' })),
    );
    await running.untilStatuses({ delivered: 30, queued: 30 });
    expect(taken(second)).toHaveLength(30);
    expect(running.simulator.records.submits).toEqual([]);
    await setCarrierPaused(running.database, 'first', false);
    await running.untilStatuses({ delivered: 60 });
    expect(taken(running.simulator)).toHaveLength(30);
  });

  test('a carrier that is slow by contract keeps nobody else waiting, whatever is queued for it', async () => {
    const running = await start({
      carrier: { name: 'first', submitsPerSecond: 1 },
      // As in production: what waits in a queue is not offered again every second.
      settings: { SWEEP_AFTER_SECONDS: '60' },
    });
    const second = await another(running, 'second');
    await route(running, '46', 'first');
    await route(running, '49', 'second');
    await untilStates(running, { first: 'up', second: 'up' });
    await running.sendMany(300);
    const sentMs = performance.now();
    await running.sendBatch(
      Array.from({ length: 200 }, (_, index) => ({ recipient: `4915123456${String(100 + index)}`, message: 'fast' })),
    );
    await second.records.until(({ submits }) => submits.length >= 200);
    expect(performance.now() - sentMs).toBeLessThan(60_000);
    expect(taken(second)).toHaveLength(200);
    await route(running, '46', 'second');
    await setCarrierPaused(running.database, 'first', true);
    // What waited for the slow one goes out by the other one of its route as soon as it may.
    await second.records.until(({ submits }) => submits.length >= 450, 60_000);
  });
});

describe('routes', () => {
  const start = sharedService({ backEnd: CHEAPEST_BACK_END, carrier: { name: 'first' } });

  test('a message goes to the carrier of its longest prefix, and routes change without a restart', async () => {
    const running = await start();
    const second = await another(running, 'second');
    await route(running, '', 'first');
    await route(running, '4670', 'second');
    await untilStates(running, { first: 'up', second: 'up' });
    await running.sendMany(60);
    await running.send('4915123456789', 'elsewhere');
    await running.untilStatuses({ delivered: 61 });
    expect(taken(second)).toHaveLength(60);
    expect(taken(running.simulator)).toEqual(['4915123456789']);

    await removeRoute(running.database, '4670', undefined);
    let sent = 61;
    // The worker hears of it in a moment.
    await eventually(async () => {
      await running.send(numberOf(0), 'now by the other one');
      sent += 1;
      await running.untilStatuses({ delivered: sent });
      expect(taken(running.simulator)).toEqual(['4915123456789', numberOf(0)]);
    });
  });

  test('what a carrier takes for its segments is counted, by the cost of the route that the message took', async () => {
    const running = await start();
    await another(running, 'second');
    await route(running, '', 'first');
    const cost = { amount: 4_500n, currency: 'EUR' };
    await addRoute(running.database, { prefix: '4670', carrier: 'second', rank: 1, weight: 1, cost }, true);
    await untilStates(running, { first: 'up', second: 'up' });
    await running.send(numberOf(0), 'one segment');
    await running.send(numberOf(1), 'two segments '.repeat(20));
    await running.send('4915123456789', 'elsewhere');
    await running.untilStatuses({ delivered: 3 });
    await eventually(async () => {
      const samples = await scrape(running.runningWorkers[0]?.metricsPort);
      expect(samples.filter(({ name }) => name === 'heliograph_carrier_cost_units_total')).toEqual([
        {
          name: 'heliograph_carrier_cost_units_total',
          labels: { carrier: 'second', currency: 'EUR' },
          value: expect.closeTo(0.0135, 9),
        },
      ]);
    });
  });

  test('a message whose route is removed after it was accepted fails, and costs nothing', async () => {
    const running = await start({ workers: 0 });
    await route(running, '46', 'first');
    await route(running, '49', 'first');
    // A batch waits for the feeder; a single message may be on its carrier's queue already, and goes out.
    await running.sendBatch(
      ['4915123456789', '4915123456788'].map((recipient) => ({ recipient, message: 'to nowhere' })),
    );
    await running.send(numberOf(1), 'to somewhere');
    await removeRoute(running.database, '49', undefined);
    await running.startWorker();
    await running.untilStatuses({ delivered: 1, failed: 2 });
    expect(await running.figures()).toEqual({ reserved: 0n, captured: UNIT_PRICE });
    const failed = await running.database.query<{ carrier_code: string; actor: string }>(
      `select t.carrier_code, t.actor from order_transition t join message_order o on o.id = t.message_id
        where o.account_id = $1 and t.to_state = 'failed'`,
      [running.accountId],
    );
    expect(failed).toEqual(Array(2).fill({ carrier_code: 'NO_ROUTE', actor: 'worker' }));
  });

  test('a carrier keeps its connection over what does not concern it, and is connected anew over what does', async () => {
    const running = await start();
    await untilStates(running, { first: 'up' });
    const [bind] = running.simulator.binds;
    await changeCarrier(running.database, 'first', { submitsPerSecond: 500, inDoubtPolicy: 'hold' });
    await setCarrierPaused(running.database, 'first', true);
    await untilStates(running, { first: 'paused' });
    await setCarrierPaused(running.database, 'first', false);
    await untilStates(running, { first: 'up' });
    await running.sendMany(5);
    await running.untilStatuses({ delivered: 5 });
    expect(running.simulator.binds).toEqual([bind]);
    await changeCarrier(running.database, 'first', { systemId: 'other' });
    await eventually(() => running.simulator.binds.length === 1 && running.simulator.binds[0]?.systemId === 'other');
    await running.sendMany(5);
    await running.untilStatuses({ delivered: 10 });
  });

  test('carriers of one rank share messages by their weights', async () => {
    const running = await start();
    const second = await another(running, 'second');
    await route(running, '', 'first', 1, 90);
    await route(running, '', 'second', 1, 10);
    await untilStates(running, { first: 'up', second: 'up' });
    await running.sendMany(400);
    await running.untilStatuses({ delivered: 400 });
    // 40 of them, and by chance hardly ever thirty more or less.
    expect(taken(second).length).toBeGreaterThan(10);
    expect(taken(second).length).toBeLessThan(80);
  });

  test('messages that only a paused carrier may take keep no others from the next one of their route', async () => {
    const running = await start({ carrier: { name: 'first', submitsPerSecond: 5 } });
    const second = await another(running, 'second');
    await route(running, '46', 'first', 1);
    await route(running, '46', 'second', 2);
    await route(running, '49', 'first', 1);
    await untilStates(running, { first: 'up', second: 'up' });
    await running.sendBatch(
      Array.from({ length: 1_000 }, (_, index) => ({ recipient: `49151234${10_000 + index}`, message: 'waits' })),
    );
    await running.sendMany(20);
    const unrouted = 'select from dispatch_backlog where carrier_id = 0 and account_id = $1';
    await eventually(async () => expect(await running.database.query(unrouted, [running.accountId])).toEqual([]));
    await setCarrierPaused(running.database, 'first', true);
    await second.records.until(({ submits }) => submits.length >= 20, 40_000);
  });

  test('a message that was begun by a carrier is ended by it, although its route has changed', async () => {
    const running = await start({ carrier: { name: 'first', windowSize: 1 }, simulator: { latencyMs: 100 } });
    await route(running, '46', 'first');
    // After the route: whoever knows this carrier knows that it is not for these numbers.
    const second = await another(running, 'second');
    await untilStates(running, { first: 'up', second: 'up' });
    await running.send(numberOf(1), 'x'.repeat(153 * 6));
    await running.simulator.records.until(({ submits }) => submits.length >= 2);
    running.simulator.disconnectAll();
    await route(running, '46', 'second', 1);
    await removeRoute(running.database, '46', 'first');
    await running.untilStatuses({ delivered: 1 });
    expect(second.records.submits).toEqual([]);
  });
});
