import type { Bench, Lane } from '../bench.js';
import { send } from './accept.js';
import { singles } from './loads.js';

/** Of what is accepted without guards. */
const FLOOR = 0.9;
const SUPPRESSED = 40;
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
  for (let number = 0; number < SUPPRESSED; number += 20) {
    const some = Array.from({ length: 20 }, (_, index) => `+447700${String(900_000 + number + index)}`);
    await Promise.all(some.map((one) => service.smsctl.run('suppression', 'add', guarded, one)));
  }
  const [free, all] = [singles(bench, accounts.single, 1), singles(bench, accounts.guarded, 1)];
  const lanes: Lane[] = [
    {
      figure: { id: 'guards-none', title: `single sends accepted, ${free.title}, no guards`, unit: 'messages' },
      measure: () => send(bench, free),
    },
    {
      figure: {
        id: 'guards-all',
        title: `single sends accepted, ${all.title}, all guards`,
        unit: 'messages',
        yardstick: 'guards-none',
        floor: FLOOR,
      },
      measure: () => send(bench, all),
    },
  ];
  await bench.inTurns(lanes);
}
