import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '#config';
import type { AuthenticatedRequest } from './authenticate.js';
import { BATCH_ROUTE } from './limits.js';
import type { Problem } from './problem.js';
import { rateLimited } from './rate-limited.js';
import { TokenBuckets } from './token-buckets.js';

/** How many seconds' worth may come at once. */
const BURST_SECONDS = 10;
const ACCOUNTS_MAX = 10_000;
/** A request counts once for each part of its body of this size. */
const COUNTED_BYTES = 4_096;
/** A read counts once more for each part of its answer of this size: a page of long messages has megabytes. */
const COUNTED_ANSWER_BYTES = 16_384;

/** Reads that cost the database more count as several: by their route, and lists if they have filters. */
const EXPORT_WEIGHT = 100;
const USAGE_WEIGHT = 20;
const STATEMENT_WEIGHT = 50;
const FILTER_WEIGHT = 10;
const CANCEL_WEIGHT = 10;
const CANCEL_BATCH_WEIGHT = 100;
const WITHOUT_FILTERS = ['page', 'limit', 'cursor'];
const FILTERED = ['/v1/account/messages', '/v1/message/inbound', '/v1/webhooks/:id/deliveries'];

const SENDS = ['/v1/message/send', BATCH_ROUTE];

/**
 * Limits the free work that an account can cause at this gateway. Reads and quotes have one allowance, refused and
 * replayed sends another, so that too many reads never stop a send. Paid requests are not counted. An allowance is one
 * number in memory.
 */
export function limitFreeRequests(fastify: FastifyInstance, config: Config): void {
  const perSecond = config.FREE_REQUESTS_PER_SECOND;
  if (perSecond === 0) return;
  const limits = { perSecond, burst: perSecond * BURST_SECONDS, ownersMax: ACCOUNTS_MAX };
  const reads = new TokenBuckets(limits);
  const refusedSends = new TokenBuckets(limits);
  const refusal = (waitMs: number, policy: string, what: string): Problem =>
    rateLimited(
      `This account may make ${perSecond} requests a second that cost nothing: ${what}.`,
      policy,
      limits,
      waitMs,
    );

  fastify.addHook('onRequest', (request: AuthenticatedRequest, _reply, done) => {
    const owner = request.account?.accountId;
    if (owner === undefined) done();
    else if (isSend(request)) {
      const waitMs = refusedSends.waitMs(owner);
      done(waitMs > 0 ? refusal(waitMs, 'refused-sends', 'too many of its sends were refused') : undefined);
    } else {
      // A body without a declared length is counted after it was read.
      const waitMs = reads.take(owner, countOf(declaredBytes(request)) * weightOf(request));
      done(waitMs > 0 ? refusal(waitMs, 'free', 'reads and quotes') : undefined);
    }
  });
  fastify.addHook('preValidation', (request: CountedRequest, _reply, done) => {
    const owner = request.account?.accountId;
    if (owner !== undefined && request.headers['content-length'] === undefined && !isSend(request)) {
      reads.owe(owner, countOf(request.bodyBytes) - 1);
    }
    done();
  });
  fastify.addHook('onResponse', (request: CountedRequest, reply, done) => {
    const owner = request.account?.accountId;
    const parts = Math.floor(answerBytes(reply) / COUNTED_ANSWER_BYTES);
    if (owner !== undefined && parts > 0 && !isSend(request)) reads.owe(owner, parts);
    const isFree = reply.statusCode < 500 && (reply.statusCode >= 400 || reply.hasHeader('idempotent-replayed'));
    // A request that was refused before its body was read has cost nothing.
    const { bodyBytes } = request;
    if (owner !== undefined && bodyBytes !== undefined && isFree && isSend(request)) {
      refusedSends.owe(owner, countOf(bodyBytes));
    }
    done();
  });
}

export interface CountedRequest extends AuthenticatedRequest {
  /** Bytes of the body, after it was read. */
  bodyBytes?: number;
}

function declaredBytes(request: FastifyRequest): number {
  const bytes = Number(request.headers['content-length'] ?? 0);
  return Number.isSafeInteger(bytes) ? bytes : 0;
}

/** Exports have no length beforehand, and a weight instead. */
function answerBytes(reply: FastifyReply): number {
  return Number(reply.getHeader('content-length') ?? 0);
}

function countOf(bytes = 0): number {
  return Math.max(1, Math.ceil(bytes / COUNTED_BYTES));
}

function weightOf({ routeOptions: { url }, query }: FastifyRequest): number {
  if (url?.endsWith('/export')) return EXPORT_WEIGHT;
  if (url === '/v1/account/usage') return USAGE_WEIGHT;
  if (url === '/v1/account/statements/:month') return STATEMENT_WEIGHT;
  if (url === '/v1/message/:messageId/cancel') return CANCEL_WEIGHT;
  if (url === '/v1/message/batch/:batchId/cancel') return CANCEL_BATCH_WEIGHT;
  const isFiltered = url !== undefined && FILTERED.includes(url) && Object.keys(query as object).some(isFilter);
  return isFiltered ? FILTER_WEIGHT : 1;
}

function isFilter(name: string): boolean {
  return !WITHOUT_FILTERS.includes(name);
}

function isSend(request: FastifyRequest): boolean {
  const route = request.routeOptions.url;
  return route !== undefined && SENDS.includes(route);
}
