import type { FastifyInstance, HookHandlerDoneFunction } from 'fastify';
import type { AuthenticatedRequest } from './authenticate.js';
import { TokenBuckets } from './token-buckets.js';

/** How long late requests are served in one turn of the event loop; one is served in each. */
const TURN_MS = 1;
/**
 * The least time from one serving of late requests to the next. Refusals that are written together take a fraction of
 * the processor time of refusals one by one.
 */
const GATHER_MS = 20;
/** Refused requests of an account; with more, its requests are late. */
const REFUSED = { perSecond: 20, burst: 200, ownersMax: 10_000 };

/**
 * Serves some requests after those of others: the ones without a valid key, and all of an account that is refused
 * often. They gather for a moment. However many of them come, only some are served in one turn of the event loop, so
 * that nobody else waits for all of them. They are served in the order in which they came.
 */
export class LateRequests {
  private readonly refused = new TokenBuckets(REFUSED);
  private readonly waiting: (() => void)[] = [];
  private isScheduled = false;
  private lastStartMs = Number.NEGATIVE_INFINITY;

  attach(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', (request: AuthenticatedRequest, _reply, done) => {
      const owner = request.account?.accountId;
      if (owner === undefined || this.refused.waitMs(owner) === 0) done();
      else this.later(done);
    });
    fastify.addHook('onResponse', (request: AuthenticatedRequest, reply, done) => {
      const owner = request.account?.accountId;
      if (owner !== undefined && reply.statusCode >= 400 && reply.statusCode < 500) this.refused.owe(owner, 1);
      done();
    });
  }

  /** Goes on with a request, or refuses it by an error, when its turn comes. */
  later(done: HookHandlerDoneFunction, error?: Error): void {
    this.waiting.push(() => done(error));
    this.schedule();
  }

  /** The first after a pause waits for nothing. */
  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    const restMs = this.lastStartMs + GATHER_MS - performance.now();
    const start = () => {
      this.lastStartMs = performance.now();
      this.serveSome();
    };
    if (restMs > 0) setTimeout(start, restMs);
    else setImmediate(start);
  }

  private serveSome(): void {
    const endMs = performance.now() + TURN_MS;
    do this.waiting.shift()?.();
    while (this.waiting.length > 0 && performance.now() < endMs);
    this.isScheduled = this.waiting.length > 0;
    if (this.isScheduled) setImmediate(() => this.serveSome());
  }
}
