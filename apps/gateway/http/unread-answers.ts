import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AccountMemory, whenOver } from './account-memory.js';
import type { AuthenticatedRequest } from './authenticate.js';
import { QUOTE_ROUTE } from './limits.js';

/** Smaller answers are not counted. */
const COUNTED_BYTES_MIN = 16 * 1024;
/** A client that takes nothing of its answer for so long is given up. */
const STALLED_MS = 60_000;

/**
 * Bounds the memory of answers that clients do not read. A page of long messages has 4 MB, and a connection may have a
 * hundred of them outstanding, so one client could fill the memory of a gateway. Only reads and quotes are refused for
 * that: whoever has changed something has to be told.
 */
export function limitUnreadAnswers(fastify: FastifyInstance, stalledMs = STALLED_MS): void {
  const memory = new AccountMemory();
  fastify.addHook('onSend', (request: AuthenticatedRequest, reply, payload, done) => {
    const accountId = request.account?.accountId;
    const bytes = sizeOf(payload);
    if (accountId === undefined || bytes < COUNTED_BYTES_MIN || !mayBeRefused(request)) {
      done(null, payload);
      return;
    }
    try {
      whenOver(request.raw, reply.raw, memory.reserve(accountId, bytes));
    } catch (error) {
      done(error as Error);
      return;
    }
    // Node sets it anew when the answer has been taken.
    request.raw.socket.setTimeout(stalledMs);
    done(null, payload);
  });
}

function mayBeRefused({ method, routeOptions }: FastifyRequest): boolean {
  return method === 'GET' || routeOptions.url === QUOTE_ROUTE;
}

/** An export is a stream, which is written as it is read. */
function sizeOf(payload: unknown): number {
  return typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0;
}
