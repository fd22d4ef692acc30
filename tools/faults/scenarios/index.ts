import type { Scenario } from '../scenario.js';
import { CARRIER_SCENARIOS } from './carrier.js';
import { clockSkew } from './clock-skew.js';
import { creditEdge, spendEdge } from './credit-edge.js';
import { hosts } from './hosts.js';
import { nemesis } from './nemesis.js';
import { NETWORK_SCENARIOS } from './network.js';
import { commandKill, operatorChanges } from './operator.js';
import { optOuts } from './opt-outs.js';
import { POSTGRES_SCENARIOS } from './postgres.js';
import { PROCESS_SCENARIOS } from './processes.js';
import { RECEIPT_SCENARIOS } from './receipts.js';
import { REDIS_SCENARIOS } from './redis.js';

const SINGLE_FAULTS: readonly Scenario[] = [
  ...PROCESS_SCENARIOS,
  ...POSTGRES_SCENARIOS,
  ...REDIS_SCENARIOS,
  ...NETWORK_SCENARIOS,
  hosts,
  ...CARRIER_SCENARIOS,
  operatorChanges,
  optOuts,
  commandKill,
  clockSkew,
  creditEdge,
  spendEdge,
  ...RECEIPT_SCENARIOS,
];

const MIXED: readonly Scenario[] = [
  'gateway-kill',
  'worker-kill',
  'postgres-kill',
  'backend-terminate',
  'carrier-settings',
  'redis-kill-aof',
  'redis-flush',
].flatMap((name) => SINGLE_FAULTS.find((known) => known.name === name) ?? []);

export const mixed: Scenario = {
  name: 'mixed',
  says: 'kills of gateways, workers, PostgreSQL, its sessions and Redis, an empty queue, changed settings of the carrier',
  recovery: 'as in the scenario of each fault, all together',
  rounds: 60,
  pauseMs: [500, 2_500],
  async strike(field, round) {
    const kinds = MIXED.filter(({ queue }) => queue !== 'redis' || field.system.redis !== undefined);
    await field.nextOf('mixed', kinds).strike(field, round);
  },
};

/** All scenarios in the order in which they run. */
export const SCENARIOS: readonly Scenario[] = [...SINGLE_FAULTS, mixed, nemesis];
