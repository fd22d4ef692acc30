import type { Scenario } from '../scenario.js';
import { carrierSettings } from './carrier.js';
import { backendTerminate, postgresKill } from './postgres.js';
import { gatewayKill, workerKill } from './processes.js';
import { redisFlush, redisKillAof } from './redis.js';

const ANYWHERE = [gatewayKill, workerKill, postgresKill, backendTerminate, carrierSettings];
const ON_REDIS = [redisKillAof, redisFlush];

export const mixed: Scenario = {
  name: 'mixed',
  says: 'all of the kills, and changed settings of the carrier, in an order that the seed shuffles, each as often as the others',
  recovery: 'as in the scenario of each fault, all together',
  rounds: 60,
  pauseMs: [500, 2_500],
  async strike(field, round) {
    const kinds = field.system.redis === undefined ? ANYWHERE : [...ANYWHERE, ...ON_REDIS];
    if (round % kinds.length === 0) rows.set(field, field.random.shuffle(kinds));
    const kind = rows.get(field)?.[round % kinds.length];
    if (kind === undefined) throw new Error(`no fault for round ${round}`);
    await kind.strike(field, round);
  },
};

/** The order of the current turn, for each run. */
const rows = new WeakMap<object, readonly Scenario[]>();
