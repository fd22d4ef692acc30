import type { FastifyReply } from 'fastify';
import { type MessageTraces, messagingAttributes } from '#telemetry';
import type { Acceptance } from './submission.js';

/**
 * Begins the traces of the sampled messages of a request: each has the span `accept`, from the arrival of the request
 * to the commit, and a link to the span of the request. That one goes on with the client's trace, if it sent a
 * `traceparent`. A repeat of a request has accepted nothing, so it adds nothing.
 */
export function traceAccept(
  traces: MessageTraces,
  reply: FastifyReply,
  { orders, batchId, isReplay }: Acceptance,
): void {
  if (isReplay) return;
  const sampled = orders.filter(({ id }) => traces.samples(id));
  if (sampled.length === 0) return;
  const { request } = reply;
  const endMs = Date.now();
  const startMs = endMs - reply.elapsedTime;
  const route = request.routeOptions.url ?? '';
  const { traceparent } = request.headers;
  const link = traces.addRequest(typeof traceparent === 'string' ? traceparent : undefined, {
    name: `${request.method} ${route}`,
    kind: 'server',
    startMs,
    endMs,
    attributes: {
      'http.request.method': request.method,
      'http.route': route,
      'http.response.status_code': reply.statusCode,
      'heliograph.request_id': request.id,
      'messaging.batch.message_count': orders.length,
    },
  });
  for (const { id } of sampled) {
    const attributes = {
      ...messagingAttributes('send', id),
      ...(batchId !== undefined && { 'heliograph.batch_id': batchId }),
    };
    traces.begin(id, { name: 'accept', kind: 'producer', startMs, endMs, attributes }, link);
  }
}
