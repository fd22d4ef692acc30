import { Network } from '../../harness/hosts.js';
import type { Field } from '../field.js';
import type { Scenario } from '../scenario.js';
import { CARRIER_SCENARIOS, excuseRepeats } from './carrier.js';
import { clockSkew } from './clock-skew.js';
import { hosts, spoilHost, waysOf } from './hosts.js';
import { NETWORK_SCENARIOS } from './network.js';
import { CHANGES, change, interrupt, judgeRedactions, KILLED_COMMANDS } from './operator.js';
import { conversationsOf, judgeInbound, optOut } from './opt-outs.js';
import { POSTGRES_SCENARIOS } from './postgres.js';
import { PROCESS_SCENARIOS } from './processes.js';
import { REDIS_SCENARIOS } from './redis.js';

type Strike = (field: Field, round: number) => Promise<void>;

/** These need a stage of their own: an earlier version, a small disk, another Redis. */
const APART = new Set(['upgrade', 'disk-full', 'redis-kill-no-aof', 'redis-sentinel-failover']);

/** Faults that one stage can have, one at a time. */
function faultsOf(field: Field): readonly Strike[] {
  const scenarios = [
    ...PROCESS_SCENARIOS,
    ...POSTGRES_SCENARIOS,
    ...REDIS_SCENARIOS,
    ...NETWORK_SCENARIOS,
    ...CARRIER_SCENARIOS,
    clockSkew,
  ].filter(
    ({ name, queue }) => !APART.has(name) && (queue ?? field.system.options.queue) === field.system.options.queue,
  );
  return [
    ...scenarios.map(({ strike }) => strike),
    ...waysOf(field).map(
      (way): Strike =>
        (struck) =>
          spoilHost(struck, way),
    ),
  ];
}

/** What operators do meanwhile, by name. */
const OPERATOR_STRIKES: readonly [string, Strike][] = [
  ...CHANGES.map((one): [string, Strike] => [`change-${one[0]}`, (field) => change(field, one)]),
  // The repeat is the same command each time: a deposit with another reference would be another deposit.
  ...KILLED_COMMANDS.map((one): [string, Strike] => [
    `kill-${one[0]}`,
    (field) => interrupt(field, one, (command) => untilDone(field, one[0], command)),
  ]),
  ['opt-out', optOut],
];

/** Each kind comes as often as the others: a turn has all of them, shuffled by the seed. */
export const nemesis: Scenario = {
  name: 'nemesis',
  says: 'everything at once: each round has a fault of any part, host or link, and beside it something an operator does',
  recovery: 'as in the scenario of each fault, all together',
  missing: () => Network.missing(),
  system: { hasHosts: true },
  rounds: 100,
  pauseMs: [500, 2_500],
  async strike(field, round) {
    await conversationsOf(field);
    const strike = field.nextOf('fault', faultsOf(field));
    const [name, act] = field.nextOf('change', OPERATOR_STRIKES);
    // A command meets the fault, so it may fail; whoever gave it gives it again.
    await Promise.all([strike(field, round), untilDone(field, name, () => act(field, round))]);
  },
  async conclude(field) {
    await excuseRepeats(field);
    await judgeInbound(field);
    await judgeRedactions(field);
    await hosts.conclude?.(field);
    field.measures.push(`${field.faults} faults of ${field.kinds.size} kinds`);
  },
};

const TRIES = 20;
const AGAIN_MS = 1_000;

async function untilDone(field: Field, name: string, work: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await work();
      return;
    } catch (error) {
      field.signal.throwIfAborted();
      if (tries === TRIES) {
        field.complain(`${name} failed ${TRIES} times: ${error instanceof Error ? error.message : error}`);
        return;
      }
      await field.pause(AGAIN_MS);
    }
  }
}
