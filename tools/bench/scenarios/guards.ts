import type { Bench } from '../bench.js';
import { singles } from './loads.js';

/** Of what is accepted without guards. */
const FLOOR = 0.9;
const SUPPRESSED = 40;
const TOGETHER = 20;
/** Every guard, with limits that the load does not reach. */
const GUARDS = [
  ...['--countries', 'DE,GB,US', '--price-max', '1', '--spend-day', '90000000', '--spend-month', '90000000'],
  ...['--recipient-hour', '10000000', '--range-hour', '10000000', '--ramp-days', '365', '--ramp-spend-day', '90000000'],
];

/**
 * What guards cost: single sends of one account without guards, and of one with every guard and a suppression list, in
 * turns at the same gateway.
 */
export async function measureGuards(bench: Bench): Promise<void> {
  const { service, accounts } = bench;
  await service.stopWorker();
  const [guarded = ''] = accounts.guarded.ids;
  await service.smsctl.run('guard', 'set', guarded, ...GUARDS);
  for (let number = 0; number < SUPPRESSED; number += TOGETHER) {
    const some = Array.from({ length: TOGETHER }, (_, index) => `+447700${String(900_000 + number + index)}`);
    await Promise.all(some.map((one) => service.smsctl.run('suppression', 'add', guarded, one)));
  }
  const [free, all] = [singles(bench, accounts.single), singles(bench, accounts.guarded)];
  const title = `single sends accepted, ${free.title}`;
  await bench.inTurns([
    { id: 'guards-none', title: `${title}, no guards`, measure: () => bench.measure(free) },
    {
      id: 'guards-all',
      title: `${title}, all guards`,
      yardstick: 'guards-none',
      floor: FLOOR,
      measure: () => bench.measure(all),
    },
  ]);
}
