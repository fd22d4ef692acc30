import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { describeRedis } from '../../scripts/redis/local-redis.js';
import type { Facts } from '../harness/facts.js';
import type { RedisServer } from '../harness/servers.js';
import { median } from '../harness/statistics.js';

const SYNC_PROBES = 200;
const REDIS_ANSWER_TIMEOUT_MS = 5_000;

/** What the figures were measured on: without it they say nothing. */
export interface Machine {
  readonly cores: number;
  readonly cpu: string;
  readonly memoryGb: number;
  readonly node: string;
  readonly postgres: string;
  readonly redis: string | undefined;
  /** Median of a 4 kB append and fdatasync in the folder of the databases: what a commit waits for at least. */
  readonly fdatasyncMs: number;
}

export async function describeMachine(facts: Facts, redis: RedisServer | undefined, dir: string): Promise<Machine> {
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    postgres: await facts.version(),
    redis: redis && (await describeRedis(`redis://127.0.0.1:${redis.port}`, REDIS_ANSWER_TIMEOUT_MS)),
    fdatasyncMs: measureSync(dir),
  };
}

function measureSync(dir: string): number {
  const path = join(dir, 'sync-probe');
  const file = openSync(path, 'w');
  const block = Buffer.alloc(4_096, 1);
  const times = Array.from({ length: SYNC_PROBES }, () => {
    const startedAt = performance.now();
    writeSync(file, block);
    fdatasyncSync(file);
    return performance.now() - startedAt;
  });
  closeSync(file);
  rmSync(path);
  return median(times);
}
