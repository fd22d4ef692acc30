import type { Teardown } from '../../scripts/supervisor/teardown.js';
import type { ScenarioRun } from './scenario.js';
import { System, THIS_VERSION } from './system/system.js';

const CARRIER_WINDOW = 10;

/** The service as a scenario wants it. Its folder exists. */
export function startSystem(run: ScenarioRun, signal: AbortSignal, teardown: Teardown): Promise<System> {
  const { scenario, queue, dir, earlierVersion } = run;
  return System.start(
    {
      dir,
      queue,
      redisIsDurable: scenario.redisIsDurable ?? true,
      redisHasSentinels: scenario.redisHasSentinels ?? false,
      links: scenario.links ?? [],
      settings: { ...run.settings, ...scenario.settings },
      simulatorFlags: scenario.simulatorFlags ?? [],
      carrierWindow: scenario.carrierWindow ?? CARRIER_WINDOW,
      messageIdFormat: scenario.messageIdFormat ?? 'as-is',
      version: earlierVersion ?? THIS_VERSION,
      diskMegabytes: scenario.diskMegabytes,
    },
    signal,
    teardown,
  );
}
