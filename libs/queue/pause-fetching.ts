import { isNotConnectionError, type Worker } from 'bullmq';

const PAUSE_MS = 1_000;

/**
 * Lets a consumer fetch no job for a second after a server has refused to hand one out (no memory, no disk, no right).
 * BullMQ asks again at once: hundreds of times a second, and for ever without a turn for anything else of the process
 * if its first look at the server was refused. After a lost connection it pauses by itself. (Private to BullMQ 6.7.0.)
 */
export function pauseFetching(consumer: Worker, fault: Error): void {
  if (isNotConnectionError(fault)) (consumer as unknown as { limitUntil: number }).limitUntil = Date.now() + PAUSE_MS;
}
