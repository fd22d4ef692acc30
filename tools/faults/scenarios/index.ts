import type { Scenario } from '../scenario.js';
import { backendTerminate } from './backend-terminate.js';
import { carrierDisconnect, carrierError, carrierRefuse, carrierSlow, carrierThrottle } from './carrier.js';
import { carrierSettings } from './carrier-settings.js';
import { clockSkew } from './clock-skew.js';
import { creditEdge } from './credit-edge.js';
import { diskFull } from './disk-full.js';
import { gatewayKill } from './gateway-kill.js';
import { mixed } from './mixed.js';
import { networkPostgres, networkRedis, networkSmpp } from './network.js';
import { postgresKill } from './postgres-kill.js';
import { receipts, receiptsDecHex, receiptsHexDec } from './receipts.js';
import { redisFlush, redisKillAof, redisKillNoAof, redisStall } from './redis-faults.js';
import { redisSentinelFailover } from './redis-sentinel.js';
import { responseLoss } from './response-loss.js';
import { rollingRestart } from './rolling-restart.js';
import { rowLock } from './row-lock.js';
import { upgrade } from './upgrade.js';
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
  redisSentinelFailover,
  workerStall,
  rollingRestart,
  upgrade,
  backendTerminate,
  rowLock,
  networkPostgres,
  networkRedis,
  networkSmpp,
  responseLoss,
  clockSkew,
  diskFull,
  carrierSlow,
  carrierThrottle,
  carrierError,
  carrierDisconnect,
  carrierRefuse,
  carrierSettings,
  creditEdge,
  receipts,
  receiptsHexDec,
  receiptsDecHex,
  mixed,
];
