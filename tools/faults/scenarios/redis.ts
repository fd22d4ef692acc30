import type { RedisServer } from '../../harness/servers.js';
import type { Field } from '../field.js';
import type { Scenario } from '../scenario.js';

const STALL_MS = 30_000;
const SHORT_STALL_MS = 4_000;

const ON_REDIS = {
  queue: 'redis',
  recovery: 'queue back -> nothing accepted before is still waiting to be claimed',
} as const;
/** It has to live long enough to be found again. */
const KILLS = { rounds: 20, pauseMs: [3_000, 8_000] } as const;

export const REDIS_SCENARIOS: readonly Scenario[] = [
  {
    ...ON_REDIS,
    ...KILLS,
    name: 'redis-kill-aof',
    says: 'kill -9 of a Redis with append-only file; it comes back with what it had written',
    strike: (field) => killAndRestart(field, 'redis-kill-aof'),
  },
  {
    ...ON_REDIS,
    ...KILLS,
    name: 'redis-kill-no-aof',
    says: 'kill -9 of a Redis without append-only file; it comes back empty',
    system: { redisIsDurable: false },
    strike: (field) => killAndRestart(field, 'redis-kill-no-aof'),
  },
  {
    ...ON_REDIS,
    name: 'redis-flush',
    says: 'FLUSHALL: the queue is empty from one moment to the next',
    rounds: 20,
    pauseMs: [500, 2_500],
    async strike(field) {
      const fromMs = field.note('redis-flush');
      await redisOf(field).flush();
      awaitRefill(field, fromMs);
    },
  },
  {
    ...ON_REDIS,
    name: 'redis-stall',
    says: 'SIGSTOP of Redis for 30 s: every socket open, no answer',
    rounds: 3,
    async strike(field) {
      const redis = redisOf(field);
      const lengthMs = field.isShort ? SHORT_STALL_MS : STALL_MS;
      const stall = () => redis.pause();
      await refilled(field, await field.spoil('redis-stall', '', lengthMs, stall, () => redis.resume()));
    },
  },
  {
    ...ON_REDIS,
    name: 'redis-sentinel-failover',
    says: 'kill -9 of the master of Redis under three Sentinels: its replica takes over; clients see nothing of it',
    recovery: 'kill -> nothing accepted before is still waiting to be claimed',
    system: { redisHasSentinels: true },
    rounds: 10,
    pauseMs: [500, 2_500],
    clientErrorsMax: 0,
    async strike(field) {
      const { sentinels } = field.system;
      if (sentinels === undefined) throw new Error('this fault needs Sentinels');
      const killedAtMs = field.note('redis-sentinel-failover');
      const port = await sentinels.killMaster();
      awaitRefill(field, killedAtMs);
      await sentinels.untilMasterIsNot(port);
      field.mended('redis-sentinel-failover', `master is at ${await sentinels.masterPort()}`);
      // The next round needs a replica that is in step.
      await sentinels.restart(port);
    },
  },
];

async function killAndRestart(field: Field, name: string): Promise<void> {
  const redis = redisOf(field);
  field.note(name);
  await redis.kill();
  await redis.restart();
  awaitRefill(field, field.mended(name));
}

function redisOf({ system }: Field): RedisServer {
  if (system.redis === undefined) throw new Error('this fault needs the queue on Redis');
  return system.redis;
}

/** Nothing that could have been sent before that moment is still waiting to be claimed. */
function awaitRefill(field: Field, fromMs: number): void {
  const isRefilled = async () => !(await field.facts.isWaitingSince(fromMs));
  field.awaitRecovery('dispatch of what was accepted before', fromMs, isRefilled);
}

/** The same, and waits for it: if the next fault came before, its recovery time would be that of both. */
export async function refilled(field: Field, fromMs: number): Promise<void> {
  awaitRefill(field, fromMs);
  await field.recovered();
}
