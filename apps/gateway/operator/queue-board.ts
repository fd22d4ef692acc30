import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import type { Queue } from 'bullmq';
import type { FastifyInstance } from 'fastify';

/** How often the board reads the list of carriers. */
const CARRIERS_EVERY_MS = 5_000;

/**
 * Bull Board at `/queues`, read-only: what a job may be told is decided by the orders, not by a click.
 *
 * @param turns accounts whose backlogs want turns
 * @param carrierQueues the queues of the carriers that there are now
 */
export async function mountQueueBoard(
  server: FastifyInstance,
  queue: Queue,
  turns: Queue | undefined,
  carrierQueues: () => Promise<readonly { readonly carrier: string; readonly queue: Queue }[]>,
): Promise<void> {
  const board = new FastifyAdapter();
  board.setBasePath('/queues');
  const always = [
    adapted(queue, 'Single orders that a worker should look at'),
    ...(turns === undefined
      ? []
      : [adapted(turns, 'Accounts whose batches want turns (their backlogs are in the database)')]),
  ];
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
    const ofCarriers = await carrierQueues().catch(() => []);
    setQueues([...always, ...ofCarriers.map((each) => adapted(each.queue, `Orders that wait for ${each.carrier}`))]);
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
  // Jobs hold ids only. If one ever held more, the board would still show only their number.
  adapter.setFormatter('data', ({ ids, account }: { ids?: unknown[]; account?: string }) =>
    ids === undefined ? { account } : { orders: ids.length, account, ids },
  );
  return adapter;
}
