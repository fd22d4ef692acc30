import type { Scenario } from '../scenario.js';
import { restart } from './rolling-restart.js';

/** Long enough that either version does all there is to do on the new schema, beside the other one. */
const SIDE_BY_SIDE_MS = [4_000, 10_000] as const;
const SHORT_SIDE_BY_SIDE_MS = [2_000, 4_000] as const;

export const upgrade: Scenario = {
  name: 'upgrade',
  says: 'a service of an earlier version (--from) is migrated and replaced under load: no client sees it, nothing goes twice',
  recovery: 'gateway of the earlier version has ended -> its successor accepts',
  startsEarlier: true,
  missing: (earlierVersion) =>
    earlierVersion === undefined ? '--from with the folder of an earlier version' : undefined,
  rounds: 1,
  pauseMs: [3_000, 6_000],
  expects: { clientErrorsMax: 0, orderlyEnds: true },
  async strike(field) {
    const { gateways, workers } = field.system;
    field.note('upgrade', 'schema');
    await field.system.migrate();
    field.mended('upgrade', 'schema');
    // docs/operations.md lets operators choose.
    const order = field.random.chance(0.5) ? [...gateways, ...workers] : [...workers, ...gateways];
    for (const victim of order) {
      await field.pause(field.lengthMs(SIDE_BY_SIDE_MS, SHORT_SIDE_BY_SIDE_MS));
      field.note('upgrade', victim.name);
      field.system.upgrade(victim);
      await restart(field, victim);
      field.mended('upgrade', victim.name);
    }
  },
};
