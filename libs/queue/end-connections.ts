import type { Queue, Worker } from 'bullmq';

/**
 * Ends the connections of a consumer whose `close` waits for an answer that will not come. Otherwise they connect again
 * and again, and the timer of the locks runs, for as long as the process lives. (Private to BullMQ 6.7.0.)
 */
export function endConnections(consumer: Worker): void {
  const { backend, lockManager } = consumer as unknown as {
    readonly backend: { close(force: boolean): Promise<void> };
    readonly lockManager: { close(): Promise<void> };
  };
  for (const ended of [lockManager.close(), backend.close(true), consumer.disconnect()]) ended.catch(() => undefined);
}

/**
 * BullMQ closes a queue by a command to Redis. If Redis is away, the command fails, and the client would connect again
 * and again for as long as the process lives.
 */
export async function closeQueue(queue: Queue): Promise<void> {
  try {
    await queue.close();
  } catch {
    // It resolves only if there is a connection to end.
    queue.disconnect().catch(() => undefined);
  }
}
