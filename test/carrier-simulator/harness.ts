import { afterEach } from '@jest/globals';
import type { SimulatorOptions } from '../../apps/carrier-simulator/options.js';
import { type RunningSimulator, startSimulator } from '../../apps/carrier-simulator/simulator.js';
import { RawClient } from './raw-client.js';

const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

/** A simulator that the test's end closes. */
export async function simulator(options: SimulatorOptions = {}): Promise<RunningSimulator> {
  const running = await startSimulator(options);
  open.push(running);
  return running;
}

/** A connection that the test's end closes. */
export async function client(running: RunningSimulator): Promise<RawClient> {
  const connected = await RawClient.connect(running.port);
  open.push(connected);
  return connected;
}

/** A bind that the test's end closes. */
export async function boundClient(running: RunningSimulator, command?: number, systemId?: string): Promise<RawClient> {
  const bound = await RawClient.bound(running.port, command, systemId);
  open.push(bound);
  return bound;
}
