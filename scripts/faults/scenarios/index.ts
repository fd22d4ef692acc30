import type { Scenario } from '../scenario.js';
import { backendTerminate } from './backend-terminate.js';
import { gatewayKill } from './gateway-kill.js';
import { mixed } from './mixed.js';
import { postgresKill } from './postgres-kill.js';
import { redisFlush, redisKillAof, redisKillNoAof, redisStall } from './redis-faults.js';
import { rollingRestart } from './rolling-restart.js';
import { rowLock } from './row-lock.js';
import { workerKill } from './worker-kill.js';
import { workerStall } from './worker-stall.js';

/** All scenarios in the order in which they run. */
export const SCENARIOS: readonly Scenario[] = [
  gatewayKill,
  workerKill,
  postgresKill,
  redisKillAof,
  redisKillNoAof,
  redisFlush,
  redisStall,
  workerStall,
  rollingRestart,
  backendTerminate,
  rowLock,
  mixed,
];
