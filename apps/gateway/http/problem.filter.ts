import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { failureKind, hasSqlState, Overloaded } from '#persistence';
import type { Logger } from '#telemetry';
import type { GatewayMetrics } from '../operator/gateway-metrics.js';
import { exactJson } from './exact-json.js';
import { Problem } from './problem.js';

/** Turns whatever was thrown into one problem document. What is not a Problem is told to the log, not to the client. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    private readonly log: Logger,
    private readonly metrics: GatewayMetrics,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const problem = problemFrom(error);
    if (problem.status >= 500)
      this.log.error({ err: error, requestId: request.id, code: problem.code }, 'request failed');
    this.metrics.refusals.inc({ code: problem.code });
    sendProblem(http.getResponse<FastifyReply>(), request.id, problem);
  }
}

export function sendProblem(reply: FastifyReply, requestId: string, problem: Problem): void {
  void reply
    .status(problem.status)
    .header('x-request-id', requestId)
    .headers(problem.extras.headers ?? {})
    .type('application/problem+json')
    .serializer((body: unknown) => exactJson(body))
    .send(problem.body(requestId));
}

/** The refusal that an error means to the client. */
export function problemFrom(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof Overloaded) {
    return new Problem('overloaded', 'Too much is waiting. Nothing was charged.', {
      headers: { 'retry-after': String(error.retryAfterSeconds) },
    });
  }
  // Faults that the HTTP layer finds itself; each status means one thing there.
  const status = error instanceof HttpException ? error.getStatus() : (error as { statusCode?: unknown })?.statusCode;
  switch (status) {
    case 400:
      return new Problem('malformed_request', 'The request is not valid HTTP.');
    case 404:
    // A part of the path that is longer than any name.
    case 414:
      return new Problem('not_found', 'There is nothing at this path.');
    case 413:
      return new Problem('body_too_large', 'The body is larger than this endpoint takes.');
    case 415:
      return new Problem('unsupported_media_type', 'Send the body with the header Content-Type: application/json.');
    default:
      return isDatabaseFailure(error)
        ? new Problem('unavailable', 'The database did not answer in time.', { headers: { 'retry-after': '1' } })
        : new Problem('internal_error', 'The service failed. The fault has been logged under this request id.');
  }
}

/** A statement that failed because the server was away or too slow, rather than because of a fault of ours. */
function isDatabaseFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isFromDriver = hasSqlState(error) || /connect|connection|timeout|ECONN|terminat/i.test(error.message);
  return isFromDriver && failureKind(error) !== 'poison';
}
