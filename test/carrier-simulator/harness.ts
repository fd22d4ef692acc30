import type { SimulatorOptions } from '../../apps/carrier-simulator/options.js';
import { type RunningSimulator, startSimulator } from '../../apps/carrier-simulator/simulator.js';
import { closedAfterTest } from '../support/closed-after-test.js';
import { RawClient } from './raw-client.js';

/** A simulator that the test's end closes. */
export async function simulator(options: SimulatorOptions = {}): Promise<RunningSimulator> {
  const running = await startSimulator(options);
  closedAfterTest(() => running.close());
  return running;
}

/** A connection that the test's end closes. */
export async function client(running: RunningSimulator): Promise<RawClient> {
  const connected = await RawClient.connect(running.port);
  closedAfterTest(() => connected.close());
  return connected;
}

/** A bind that the test's end closes. */
export async function boundClient(running: RunningSimulator, command?: number, systemId?: string): Promise<RawClient> {
  const bound = await RawClient.bound(running.port, command, systemId);
  closedAfterTest(() => bound.close());
  return bound;
}
