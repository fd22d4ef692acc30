import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { CallbackSubject } from '#carrier';
import { CALLBACK_ROUTES } from '../http/limits.js';
import { problemFrom, sendProblem } from '../http/problem.filter.js';
import { Problem } from '../http/problem.js';
import type { TakeCallback } from './take-callback.js';

/** A status callback has about twenty. */
const PARAMETERS_MAX = 100;

interface CallbackRoute {
  readonly Params: { readonly name: string };
  readonly Body: URLSearchParams | undefined;
}

/**
 * Serves the address that carriers' providers call. It is no part of the clients' API: only this address reads forms,
 * and it neither asks for an API key nor looks at one.
 */
export function serveCallbacks(fastify: FastifyInstance, callbacks: TakeCallback): void {
  void fastify.register(async (scope) => {
    // Also the one for JSON, which the rest of the gateway reads.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      async (_request: FastifyRequest, body: string) => readForm(body),
    );
    scope.addContentTypeParser('*', async () => {
      throw new Problem('unsupported_media_type', 'Send a form: application/x-www-form-urlencoded.');
    });
    scope.setErrorHandler((error, request, reply) => sendProblem(reply, request.id, problemFrom(error, request)));
    for (const [subject, route] of Object.entries(CALLBACK_ROUTES) as [CallbackSubject, string][]) {
      scope.post<CallbackRoute>(route, async (request, reply) => {
        const signature = request.headers['x-twilio-signature'];
        await callbacks.take({
          subject,
          name: request.params.name,
          query: request.url.split('?').slice(1).join('?'),
          signature: typeof signature === 'string' ? signature : undefined,
          parameters: request.body ?? new URLSearchParams(),
        });
        return reply.status(204).send();
      });
    }
  });
}

/**
 * Runs before the carrier is looked up, so that the answer does not tell which carriers exist. The parameters are
 * counted before anything is read.
 */
function readForm(body: string): URLSearchParams {
  let at = -1;
  for (let parameters = 1; parameters <= PARAMETERS_MAX; parameters += 1) {
    at = body.indexOf('&', at + 1);
    if (at === -1) return new URLSearchParams(body);
  }
  throw new Problem('invalid_request', `A callback has at most ${PARAMETERS_MAX} parameters.`);
}
