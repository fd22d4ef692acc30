import { join } from 'node:path';
import type { System } from '../../harness/system.js';
import type { BenchOptions } from '../command-line.js';
import { Kannel } from '../kannel/kannel.js';
import type { ForeignGateway } from './attached-gateway.js';
import { AttachedGateway } from './attached-gateway.js';

/**
 * Starts, or waits for, the gateway that ours is compared with. The worker must not run yet.
 *
 * @param own where a started one is kept as soon as it exists, so that whoever interrupts the start can close it
 */
export async function startOpponent(
  { opponent, carrierWindow }: BenchOptions,
  service: System,
  signal: AbortSignal,
  say: (line: string) => void,
  own: (gateway: ForeignGateway) => void,
): Promise<ForeignGateway | undefined> {
  if (opponent === undefined) return undefined;
  const { simulatorPort } = service;
  if (opponent.kind === 'attached') {
    say(`the simulator listens on 127.0.0.1:${simulatorPort} for any system_id and password; waiting for a bind ...`);
    return AttachedGateway.attach(opponent.target, service.simulator, signal);
  }
  say('starting Kannel ...');
  const dir = join(service.dir, 'kannel');
  return Kannel.start({ store: opponent.store, dir, simulatorPort, carrierWindow }, signal, own);
}
