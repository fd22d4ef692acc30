import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Overloaded } from '#batching';
import type { Config } from '#config';
import type { AuthenticatedRequest } from './authenticate.js';
import { batchBodyBytesMax, SEND_BODY_BYTES_MAX, takesBatches } from './limits.js';

/** A body of more than this is large; no single message is. */
const LARGE_BYTES = SEND_BODY_BYTES_MAX;
/** Large bodies that may be in memory, from their first byte to their answer: of one account, and of all. */
const ACCOUNT_BYTES_MAX = 16 * 1024 * 1024;
const ALL_BYTES_MAX = 128 * 1024 * 1024;
const TURN_WAIT_MAX_MS = 10_000;

interface Waiting {
  readonly begin: () => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Keeps large bodies from delaying other requests: their memory is reserved before they are read, and one at a time is
 * parsed and processed, round robin by account.
 */
export class LargeBodies {
  private readonly reserved = new Map<string, number>();
  private reservedBytes = 0;
  /** Waiting bodies by account, in the order in which the accounts come next. */
  private readonly waiting = new Map<string, Waiting[]>();
  private isBusy = false;

  /**
   * Reserves memory for a body before it is read.
   *
   * @returns a function that gives it back
   * @throws Overloaded when this account, or all accounts together, have reserved the maximum
   */
  reserve(accountId: string, bytes: number): () => void {
    const ofAccount = this.reserved.get(accountId) ?? 0;
    // One body always fits, whatever BATCH_MESSAGES_MAX makes of its limit.
    const isFull = ofAccount > 0 && ofAccount + bytes > ACCOUNT_BYTES_MAX;
    if (isFull || (this.reservedBytes > 0 && this.reservedBytes + bytes > ALL_BYTES_MAX)) throw new Overloaded(1);
    this.reserved.set(accountId, ofAccount + bytes);
    this.reservedBytes += bytes;
    return () => {
      const left = (this.reserved.get(accountId) ?? 0) - bytes;
      this.reservedBytes -= bytes;
      if (left > 0) this.reserved.set(accountId, left);
      else this.reserved.delete(accountId);
    };
  }

  /**
   * Resolves when the account comes next.
   *
   * @returns a function that ends its turn
   * @throws Overloaded when the others took too long
   */
  async turn(accountId: string): Promise<() => void> {
    if (this.isBusy) await this.wait(accountId);
    this.isBusy = true;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.next();
    };
  }

  private wait(accountId: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const line = this.waiting.get(accountId) ?? [];
      const timer = setTimeout(() => {
        line.splice(line.indexOf(one), 1);
        reject(new Overloaded(1));
      }, TURN_WAIT_MAX_MS);
      const one: Waiting = { begin: resolve, timer };
      line.push(one);
      this.waiting.set(accountId, line);
    });
  }

  /** Lets the next account go on, and puts it at the end if it has more. */
  private next(): void {
    for (const [accountId, line] of this.waiting) {
      this.waiting.delete(accountId);
      const first = line.shift();
      if (line.length > 0) this.waiting.set(accountId, line);
      if (first === undefined) continue;
      clearTimeout(first.timer);
      first.begin();
      return;
    }
    this.isBusy = false;
  }
}

export interface LargeRequest extends AuthenticatedRequest {
  /** Set on a large body: waits for its turn to be parsed and worked on. */
  largeTurn?: () => Promise<void>;
  /** Ends the turn; it may be called again. */
  endLargeTurn?: () => void;
}

/**
 * Controls large bodies by `LargeBodies`. The turn of a quote lasts until its answer is ready; the turn of a send until
 * it is parsed, because its commit takes longer. Only the routes for batches have these hooks.
 */
export function limitLargeBodies(fastify: FastifyInstance, config: Config): void {
  const bodies = new LargeBodies();
  const limit = batchBodyBytesMax(config);
  const reserve = (request: LargeRequest, reply: FastifyReply): void => {
    const accountId = request.account?.accountId;
    const bytes = Math.min(declaredBytes(request) ?? limit, limit);
    if (accountId === undefined || bytes <= LARGE_BYTES) return;
    const giveBack = bodies.reserve(accountId, bytes);
    reply.raw.once('close', () => {
      giveBack();
      request.endLargeTurn?.();
    });
    request.largeTurn = async () => {
      const endTurn = await bodies.turn(accountId);
      request.endLargeTurn = endTurn;
      if (reply.raw.destroyed) endTurn();
    };
  };
  fastify.addHook('onRoute', (route) => {
    if (!takesBatches(route.url)) return;
    route.preParsing = (request: LargeRequest, reply, payload, done) => {
      try {
        reserve(request, reply);
      } catch (error) {
        done(error as Error);
        return;
      }
      done(null, payload);
    };
    if (route.url === '/v1/message/send-batch') {
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

function declaredBytes({ headers }: FastifyRequest): number | undefined {
  return headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
}
