import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import type { Queue } from 'bullmq';
import type { FastifyInstance } from 'fastify';

/** Bull Board at `/queues`, read-only: what a job may be told is decided by the orders, not by a click. */
export async function mountQueueBoard(server: FastifyInstance, queue: Queue): Promise<void> {
  const board = new FastifyAdapter();
  board.setBasePath('/queues');
  const adapter = new BullMQAdapter(queue, { readOnlyMode: true, description: 'Orders that a worker should look at' });
  // Jobs hold ids only; should one ever hold more, the board shows no more than their number.
  adapter.setFormatter('data', (data: { ids?: unknown[] }) => ({ orders: data.ids?.length ?? 0, ids: data.ids }));
  createBullBoard({
    queues: [adapter],
    serverAdapter: board,
    options: { uiConfig: { boardTitle: 'Heliograph queues' } },
  });
  await server.register(board.registerPlugin(), { prefix: '/queues' });
}
