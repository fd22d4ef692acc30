import { describe, expect, test } from '@jest/globals';
import { addCarrier, addRoute, removeCarrier, removeRoute, setCarrierPaused } from '#persistence';
import { type RunningSimulator, startSimulator } from '../../apps/carrier-simulator/simulator.js';
import { eventually } from '../support/eventually.js';
import { CHEAPEST_BACK_END } from '../support/queue.js';
import { numberOf, type TestService } from '../support/service.js';
import { servicePerTest } from '../support/service-per-test.js';
import { smppCarrier } from '../support/smpp-carrier.js';

describe('a simulator beside a real carrier', () => {
  const start = servicePerTest({ backEnd: CHEAPEST_BACK_END, carrier: { name: 'real' } });

  /** Of the simulator and the real one, as the worker says. */
  const untilStates = (running: TestService, wanted: string[]) =>
    eventually(async () => {
      const [row] = await running.database.query<{ states: string[] }>(
        "select array(select c->>'readiness' from jsonb_array_elements(details->'carriers') c order by c->>'name') as states from process_heartbeat where role = 'worker'",
      );
      expect(row?.states).toEqual(wanted);
    });

  test('takes nothing by itself, whatever becomes of the real one; what a route gives it, and all once it is alone', async () => {
    const running = await start();
    const simulator: RunningSimulator = await startSimulator({ receiptDelayMs: 5 });
    try {
      await addCarrier(
        running.database,
        smppCarrier({ name: 'lab', port: simulator.port, windowSize: 100, simulator: true }),
      );
      await eventually(() => simulator.binds.length === 1);
      await running.sendMany(40);
      await running.sendBatch(Array.from({ length: 40 }, (_, index) => ({ recipient: numberOf(index), message: 'x' })));
      await running.untilStatuses({ delivered: 80 });
      expect(simulator.records.submits).toEqual([]);

      await setCarrierPaused(running.database, 'real', true);
      await untilStates(running, ['excluded', 'paused']);
      await running.sendMany(10);
      await running.sendBatch(Array.from({ length: 10 }, (_, index) => ({ recipient: numberOf(index), message: 'y' })));
      await setCarrierPaused(running.database, 'real', false);
      await running.untilStatuses({ delivered: 100 });
      expect(simulator.records.submits).toEqual([]);

      const route = { prefix: '4915', carrier: 'lab', rank: 1, weight: 1, cost: undefined };
      await addRoute(running.database, { ...route, prefix: '', carrier: 'real' }, true);
      await addRoute(running.database, route, true);
      await untilStates(running, ['up', 'up']);
      await running.send('4915123456789', 'by a route that names it');
      await running.send(numberOf(1), 'by the other route');
      await running.untilStatuses({ delivered: 102 });
      expect(simulator.records.submits.map(({ destination }) => destination.value)).toEqual(['4915123456789']);

      await removeRoute(running.database, '', undefined);
      await removeRoute(running.database, '4915', undefined);
      await removeCarrier(running.database, 'real');
      await running.sendMany(5);
      await running.untilStatuses({ delivered: 107 });
      expect(simulator.records.submits).toHaveLength(6);
    } finally {
      await simulator.close();
    }
  });
});
