import { type Queue, RedisQueueBackend } from 'bullmq';
import { answered } from './answered.js';

/**
 * Marks the server that has a queue, in a hash with one field for each run of a server, and for each time that it
 * became the master. The mark is lost together with the jobs. The script returns 1 if the field is new.
 */
const MARK = `
  local run = string.match(redis.call('info', 'server'), 'run_id:(%x+)') or 'unknown'
  local reign = string.match(redis.call('info', 'replication'), 'master_replid:(%x+)') or ''
  return redis.call('hset', KEYS[1], run .. reign, ARGV[1])`;

interface EvalClient {
  eval(script: string, keyCount: number, ...values: (string | number)[]): Promise<unknown>;
}

/**
 * Whether the queues may have lost their jobs since a process last asked: Redis is empty (FLUSHALL), or another server
 * answers in its place. A replica takes over without the jobs that had not reached it, and a restarted server comes
 * back without the jobs that were not on the disk. Only the first process that asks gets true. A queue in PostgreSQL is
 * lost only with the orders themselves.
 *
 * @param queues all of this process; outside a cluster they are on one server
 */
export async function haveLostJobs([first, ...others]: readonly [Queue, ...Queue[]]): Promise<boolean> {
  const backend: unknown = first.getBackend();
  if (!(backend instanceof RedisQueueBackend)) return false;
  const client = await answered(backend.client);
  const answers = await Promise.allSettled((client.isCluster ? [first, ...others] : [first]).map(hasNewMark));
  // A loss is reported once only, so it counts although another node could not be asked.
  if (answers.some((answer) => answer.status === 'fulfilled' && answer.value)) return true;
  const failed = answers.find((answer) => answer.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return false;
}

async function hasNewMark(queue: Queue): Promise<boolean> {
  const client = (await answered(queue.getBackend().client)) as unknown as EvalClient;
  return (await answered(client.eval(MARK, 1, queue.toKey('in-use'), Date.now()))) === 1;
}
