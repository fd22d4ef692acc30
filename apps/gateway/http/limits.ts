import type { FastifyInstance } from 'fastify';
import type { Config } from '#config';
import { Problem } from './problem.js';

/**
 * The longest message is 39,015 characters, each at most 6 bytes long (`\uXXXX`): 234,090 bytes. The rest is room for a
 * recipient and white space.
 */
export const SEND_BODY_BYTES_MAX = 256 * 1024;

/** The limit of a whole batch, so that a few long messages may stand beside many short ones. */
export function batchBodyBytesMax(config: Config): number {
  return Math.max(SEND_BODY_BYTES_MAX, config.BATCH_MESSAGES_MAX * config.BATCH_ENTRY_BYTES);
}

/** A callback has about a kilobyte, a few more with the text of the message. */
const CALLBACK_BODY_BYTES_MAX = 16 * 1024;
export const CALLBACK_ROUTES = { status: '/carriers/:name/status', inbound: '/carriers/:name/inbound' } as const;
const CALLBACK_PATHS: readonly string[] = Object.values(CALLBACK_ROUTES);

export const BATCH_ROUTE = '/v1/message/send-batch';
export const QUOTE_ROUTE = '/v1/message/quote';
const TAKES_BATCHES = [BATCH_ROUTE, QUOTE_ROUTE];

/** Bounds that are checked before the body is parsed, or before each of its entries is looked at. */
export function limitBodies(fastify: FastifyInstance, config: Config): void {
  // Set on the route, so that it limits the bytes that arrive, whether or not the client declares their number.
  fastify.addHook('onRoute', (route) => {
    if (CALLBACK_PATHS.includes(route.url)) route.bodyLimit = CALLBACK_BODY_BYTES_MAX;
    else route.bodyLimit = TAKES_BATCHES.includes(route.url) ? batchBodyBytesMax(config) : SEND_BODY_BYTES_MAX;
  });
  fastify.addHook('preHandler', ({ body, headers, routeOptions: { url } }, _reply, done) => {
    const messages = (body as { messages?: unknown } | null | undefined)?.messages;
    // With a key it may be a repeat from before the limit was lowered (accept-drafts.ts).
    const mayBeRepeat = url === BATCH_ROUTE && headers['idempotency-key'] !== undefined;
    done(Array.isArray(messages) && takesBatches(url) && !mayBeRepeat ? batchTooLarge(messages, config) : undefined);
  });
}

/** Undefined if these are not too many messages. */
export function batchTooLarge({ length }: readonly unknown[], { BATCH_MESSAGES_MAX }: Config): Problem | undefined {
  if (length <= BATCH_MESSAGES_MAX) return undefined;
  const detail = `messages has ${length} entries; at most ${BATCH_MESSAGES_MAX} are allowed.`;
  const errors = [{ field: 'messages', code: 'batch_too_large', detail } as const];
  return new Problem('batch_too_large', detail, { errors });
}

/** Whether the body of this route may be a batch. */
export function takesBatches(route: string | undefined): boolean {
  return route !== undefined && TAKES_BATCHES.includes(route);
}
