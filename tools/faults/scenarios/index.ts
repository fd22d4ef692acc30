import type { Scenario } from '../scenario.js';
import {
  carrierDisconnect,
  carrierError,
  carrierRefuse,
  carrierSettings,
  carrierSlow,
  carrierThrottle,
  responseLoss,
} from './carrier.js';
import { clockSkew } from './clock-skew.js';
import { creditEdge } from './credit-edge.js';
import { mixed } from './mixed.js';
import { networkPostgres, networkRedis, networkSmpp } from './network.js';
import { backendTerminate, diskFull, postgresKill, rowLock } from './postgres.js';
import { gatewayKill, rollingRestart, upgrade, workerKill, workerStall } from './processes.js';
import { receipts, receiptsDecHex, receiptsHexDec } from './receipts.js';
import { redisFlush, redisKillAof, redisKillNoAof, redisSentinelFailover, redisStall } from './redis.js';

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
