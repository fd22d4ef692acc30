import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import type { Queue } from 'bullmq';
import type { FastifyInstance } from 'fastify';
import type { DispatchQueues } from '#queue';

/** How often the board reads the list of carriers. */
const CARRIERS_EVERY_MS = 5_000;

/**
 * Bull Board at `/queues`, read-only: the orders decide what becomes of a job, not a click.
 *
 * @param carriers the names of those that there are now
 */
export async function mountQueueBoard(
  server: FastifyInstance,
  queues: DispatchQueues,
  carriers: () => Promise<readonly string[]>,
): Promise<void> {
  const board = new FastifyAdapter();
  board.setBasePath('/queues');
  const always = [adapted(queues.feeder, 'Wakes the feeders: accounts have backlogs, which are in the database')];
  const { setQueues } = createBullBoard({
    queues: always,
    serverAdapter: board,
    options: { uiConfig: { boardTitle: 'Heliograph queues' } },
  });
  let nextLookMs = 0;
  server.addHook('onRequest', async (request) => {
    if (!request.url.startsWith('/queues') || performance.now() < nextLookMs) return;
    nextLookMs = performance.now() + CARRIERS_EVERY_MS;
    // The board still shows the other queues if the carriers cannot be read.
    const names = await carriers().catch(() => []);
    setQueues([...names.map((name) => adapted(queues.of(name), `Orders that wait for ${name}`)), ...always]);
  });
  server.addHook('onSend', (_request, reply, payload, done) => {
    const isPage = typeof payload === 'string' && String(reply.getHeader('content-type')).startsWith('text/html');
    done(null, isPage ? withoutForeignLinks(payload) : payload);
  });
  await server.register(board.registerPlugin(), { prefix: '/queues' });
}

/** The board's page loads fonts from a font service, which would learn of every view of the queues. */
function withoutForeignLinks(page: string): string {
  return page.replaceAll(/<link\b[^>]*\bhref="https?:[^>]*>/g, '');
}

function adapted(queue: Queue, description: string): BullMQAdapter {
  const adapter = new BullMQAdapter(queue, { readOnlyMode: true, description });
  // Jobs hold ids only; should one ever hold more, the board shows no more than their number.
  adapter.setFormatter('data', ({ ids = [] }: { ids?: unknown[] }) => ({ orders: ids.length, ids }));
  return adapter;
}
