import type { FastifyInstance, FastifyReply, FastifyRequest, RequestPayload } from 'fastify';
import type { Config } from '#config';
import { AccountMemory, whenOver } from './account-memory.js';
import { AccountTurns } from './account-turns.js';
import type { AuthenticatedRequest } from './authenticate.js';
import { BATCH_ROUTE, batchBodyBytesMax, SEND_BODY_BYTES_MAX, takesBatches } from './limits.js';

/** A body of more than this is large; no single message is. */
const LARGE_BYTES = SEND_BODY_BYTES_MAX;

export interface LargeRequest extends AuthenticatedRequest {
  /** Set on a large body: waits for its turn to be parsed and worked on. */
  largeTurn?: () => Promise<void>;
  /** Ends the turn; it may be called again. */
  endLargeTurn?: () => void;
}

/**
 * Reserves memory for large bodies before they need it, from their first byte to their answer, and gives them turns.
 * The turn of a quote lasts until its answer is ready; the turn of a send until it is parsed, because its commit takes
 * longer. Only the routes for batches have these hooks.
 */
export function limitLargeBodies(fastify: FastifyInstance, config: Config): void {
  // Others are served between their slices.
  const turns = new AccountTurns(1);
  const memory = new AccountMemory();
  const limit = batchBodyBytesMax(config);
  const reserve = (request: LargeRequest, reply: FastifyReply, accountId: string, bytes: number): void => {
    const giveBack = memory.reserve(accountId, bytes);
    let isOver = false;
    whenOver(request.raw, reply.raw, () => {
      isOver = true;
      giveBack();
      request.endLargeTurn?.();
    });
    request.largeTurn = async () => {
      const endTurn = await turns.turn(accountId);
      request.endLargeTurn = endTurn;
      if (isOver) endTurn();
    };
  };
  fastify.addHook('onRoute', (route) => {
    if (!takesBatches(route.url)) return;
    route.preParsing = (request: LargeRequest, reply, payload, done) => {
      const accountId = request.account?.accountId;
      const declared = declaredBytes(request) ?? Number.POSITIVE_INFINITY;
      if (accountId === undefined || declared <= LARGE_BYTES) {
        done(null, payload);
        return;
      }
      const begin = () => reserve(request, reply, accountId, Math.min(declared, limit));
      try {
        if (declared < Number.POSITIVE_INFINITY) begin();
        else whenLarge(payload, begin);
      } catch (error) {
        done(error as Error);
        return;
      }
      done(null, payload);
    };
    if (route.url === BATCH_ROUTE) {
      route.preValidation = (request: LargeRequest, _reply, done) => {
        request.endLargeTurn?.();
        done();
      };
    }
    route.onSend = (request: LargeRequest, _reply, payload, done) => {
      request.endLargeTurn?.();
      done(null, payload);
    };
  });
}

/**
 * Calls `reserve` when more has come of a body than a small one has. Many clients declare the length of no body, not
 * even of small ones. If it throws, the body is read no further.
 */
function whenLarge(payload: RequestPayload, reserve: () => void): void {
  let bytes = 0;
  const count = (part: Buffer) => {
    bytes += part.length;
    if (bytes <= LARGE_BYTES) return;
    payload.off('data', count);
    // Nobody reads a body that is refused already.
    if (payload.listenerCount('error') === 0) return;
    try {
      reserve();
    } catch (error) {
      payload.emit('error', error);
    }
  };
  payload.on('data', count);
}

function declaredBytes({ headers }: FastifyRequest): number | undefined {
  return headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
}
