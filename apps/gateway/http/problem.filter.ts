import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Inject } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Overloaded } from '#batching';
import { hasSqlState, isPoison, TextUnreadable } from '#persistence';
import { LineLimit, type Logger } from '#telemetry';
import { LOG } from '../injected.js';
import { GatewayMetrics } from '../operator/gateway-metrics.js';
import { noSuchPath, Problem } from './problem.js';

/** Lines of failures in a second, each with a stack. */
const FAILURES_PER_SECOND = 10;

/** Turns every thrown value into one problem document. A fault of the service goes to the log, not to the client. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly failures: LineLimit;

  constructor(
    @Inject(LOG) private readonly log: Logger,
    private readonly metrics: GatewayMetrics,
  ) {
    this.failures = new LineLimit(FAILURES_PER_SECOND, (leftOut) =>
      log.error({ leftOut }, 'further requests failed; see the metric heliograph_requests_refused_total'),
    );
  }

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    this.answer(error, request, http.getResponse<FastifyReply>());
  }

  /** Also answers requests that Fastify refuses before it looks for a route. */
  answer(error: unknown, request: FastifyRequest, reply: FastifyReply): Problem {
    const problem = problemFrom(error, request);
    // An overload is no fault: the access log and the metrics have it.
    if (problem.status >= 500 && problem.code !== 'overloaded' && this.failures.admits()) {
      this.log.error({ err: error, requestId: request.id, code: problem.code }, 'request failed');
    }
    this.metrics.refusals.inc({ code: problem.code });
    sendProblem(reply, request.id, problem);
    return problem;
  }
}

export function sendProblem(reply: FastifyReply, requestId: string, problem: Problem): void {
  reply.problemCode = problem.code;
  void reply
    .status(problem.status)
    .header('x-request-id', requestId)
    .headers(problem.extras.headers ?? {})
    .type('application/problem+json')
    // Otherwise Fastify adds a charset to the type, which has none.
    .serializer(asWritten)
    .send(problem.json(requestId));
}

function asWritten(json: string): string {
  return json;
}

/** The refusal for the client that follows from an error of its request. */
export function problemFrom(error: unknown, request: FastifyRequest): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof Overloaded) {
    return new Problem('overloaded', 'Too much is waiting. Nothing was charged.', {
      headers: { 'retry-after': String(error.retryAfterSeconds) },
    });
  }
  if (error instanceof TextUnreadable) {
    return new Problem('unavailable', 'The text of a message cannot be read now. The fault has been logged.', {
      headers: { 'retry-after': '60' },
    });
  }
  // Faults that the HTTP layer finds: a fault of the client stays one.
  const status = error instanceof HttpException ? error.getStatus() : (error as { statusCode?: unknown })?.statusCode;
  if (typeof status === 'number' && status >= 400 && status < 500) return refusalOfHttp(status, request);
  return isDatabaseFailure(error)
    ? new Problem('unavailable', 'The database did not answer in time.', { headers: { 'retry-after': '1' } })
    : new Problem('internal_error', 'The service failed. The fault has been logged under this request id.');
}

function refusalOfHttp(status: number, request: FastifyRequest): Problem {
  switch (status) {
    // A file that must not be read is answered like a missing one.
    case 403:
    case 404:
    // A part of the path is longer than any name.
    case 414:
      return noSuchPath();
    case 408:
      return new Problem('request_timeout', 'The request did not arrive in time.');
    case 413:
      return bodyTooLarge(request);
    case 415:
      return new Problem('unsupported_media_type', 'Send the body with the header Content-Type: application/json.');
    default:
      return new Problem('malformed_request', 'The request is not valid HTTP.');
  }
}

function bodyTooLarge({ routeOptions }: FastifyRequest): Problem {
  const bytesMax = routeOptions.bodyLimit.toLocaleString('en-US');
  return new Problem('body_too_large', `The body has more than ${bytesMax} bytes, the most that this endpoint takes.`);
}

/** Whether a statement failed because the server was away or too slow, and not because of a fault of ours. */
function isDatabaseFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isFromDriver = hasSqlState(error) || /connect|connection|timeout|ECONN|terminat/i.test(error.message);
  return isFromDriver && !isPoison(error);
}
