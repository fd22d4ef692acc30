import { join } from 'node:path';
import type { Teardown } from '../../scripts/supervisor/teardown.js';
import { EventReceiver, hearEvents } from '../harness/event-receiver.js';
import { Facts } from '../harness/facts.js';
import { System } from '../harness/system.js';
import { prepareService } from './accounts.js';
import type { Stage } from './field.js';
import { CARRIER_LOG } from './history/carrier-log.js';
import type { ScenarioRun } from './scenario.js';
import { SmallDisk } from './small-disk.js';

/** Small, so that what a window excuses is little. */
const CARRIER_WINDOW = 10;
/** As a carrier that is near. */
const CARRIER_LATENCY_MS = '10';
/** Of so many events the first attempt of one fails; the next attempt is 5 s later. */
const EVENTS_FAIL_EVERY = 50;
/** A carrier tries a receipt for hours; the simulator's three tries are over before a database has recovered. */
const RECEIPT_TRIES = '1000';

/** @param run its folder exists */
export async function startStage(run: ScenarioRun, signal: AbortSignal, teardown: Teardown): Promise<Stage> {
  const { scenario, queue, dir, earlierVersion } = run;
  const { carrierWindow = CARRIER_WINDOW, messageIdFormat = 'as-is', diskMegabytes, simulatorFlags = [] } = scenario;
  const folder = join(dir, 'postgres');
  const disk = diskMegabytes === undefined ? undefined : await SmallDisk.mount(folder, diskMegabytes);
  if (disk !== undefined) teardown.add(() => disk.unmount());
  const usual = ['--latency-ms', CARRIER_LATENCY_MS, '--receipt-tries', RECEIPT_TRIES];
  const system = await System.start(
    {
      dir,
      queue,
      place: { folder },
      gateways: 2,
      workers: 2,
      // Earlier versions know no webhooks.
      webhooks: earlierVersion === undefined ? 2 : undefined,
      isSupervised: true,
      ...scenario.system,
      settings: run.settings,
      simulatorFlags: ['--log', join(dir, CARRIER_LOG), ...usual, ...simulatorFlags],
      version: earlierVersion,
    },
    signal,
    teardown,
  );
  const accounts = await prepareService(system, carrierWindow, messageIdFormat);
  await system.startApps(signal);
  const events =
    earlierVersion === undefined ? await EventReceiver.start(join(dir, 'events.txt'), EVENTS_FAIL_EVERY) : undefined;
  if (events !== undefined) {
    teardown.add(() => events.close());
    const apiKeys = accounts.map(({ apiKey }) => apiKey);
    await hearEvents(system.port, apiKeys, events.url, 'batch.completed');
  }
  return { system, facts: new Facts(system.postgres), accounts, carrierWindow, disk, events };
}
