import { setTimeout as delay } from 'node:timers/promises';
import { createPostgresBackend } from 'bullmq';
import { type SharedPoolConfig, shareOfPool } from './shared-pools.js';

/** At least this long passes between two attempts to connect. */
const RECONNECT_AFTER_MS = 250;

/** The part of BullMQ's classes that this file changes; `readyPromise` is private (BullMQ 6.7.0, `src/postgres`). */
interface ReadyOnce {
  readyPromise?: Promise<void> | undefined;
  waitUntilReady(): Promise<void>;
}

/**
 * BullMQ's back end on PostgreSQL, over the connections that the queues of a process share, and changed so that queues
 * survive a failed first connection. BullMQ keeps the promise of the first attempt, even a rejected one. If the
 * database was away at that moment, every later call of a producer failed, and a consumer asked again without a pause
 * and without any I/O, so that nothing else in its process ever ran.
 */
export const createLastingPostgresBackend: typeof createPostgresBackend = (name, options, factoryOptions) => {
  const isListener = factoryOptions?.withBlockingConnection === true || factoryOptions?.blocking === true;
  const share = shareOfPool(options.connection as SharedPoolConfig, isListener);
  const backend = createPostgresBackend(
    name,
    { ...options, connection: share.pool as unknown as typeof options.connection },
    factoryOptions,
  );
  const { connection } = backend;
  const close = connection.close.bind(connection);
  let closed: Promise<void> | undefined;
  connection.close = () => {
    closed ??= close().then(share.giveBack);
    return closed;
  };
  tryAgainAfterFailure(backend as unknown as ReadyOnce, 0);
  tryAgainAfterFailure(connection as unknown as ReadyOnce, RECONNECT_AFTER_MS);
  return backend;
};

function tryAgainAfterFailure(part: ReadyOnce, pauseMs: number): void {
  const attempt = part.waitUntilReady.bind(part);
  let pause: Promise<void> | undefined;
  part.waitUntilReady = async () => {
    await pause;
    const ready = attempt();
    const kept = part.readyPromise;
    try {
      await ready;
    } catch (error) {
      if (part.readyPromise === kept) {
        part.readyPromise = undefined;
        pause = delay(pauseMs, undefined, { ref: false });
      }
      throw error;
    }
  };
}
