import { createPostgresBackend } from 'bullmq';

/** The part of BullMQ's classes that this file changes; both are private to it (BullMQ 6.7.0, `src/postgres`). */
interface ReadyOnce {
  readyPromise?: Promise<void> | undefined;
  waitUntilReady(): Promise<void>;
}

/**
 * BullMQ's back end on PostgreSQL, for queues that outlive a failed first connection. BullMQ keeps the promise of the first attempt,
 * a rejected one as well, so that a queue whose database was away for that moment failed every call until its process ended.
 */
export const createLastingPostgresBackend: typeof createPostgresBackend = (name, options, factoryOptions) => {
  const backend = createPostgresBackend(name, options, factoryOptions);
  tryAgainAfterFailure(backend as unknown as ReadyOnce);
  tryAgainAfterFailure(backend.connection as unknown as ReadyOnce);
  return backend;
};

function tryAgainAfterFailure(part: ReadyOnce): void {
  const attempt = part.waitUntilReady.bind(part);
  part.waitUntilReady = () => {
    const ready = attempt();
    const kept = part.readyPromise;
    ready.catch(() => {
      if (part.readyPromise === kept) part.readyPromise = undefined;
    });
    return ready;
  };
}
