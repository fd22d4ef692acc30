import { Type } from '@sinclair/typebox';
import type { ErrorObject } from 'ajv';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { MoneyError } from '#billing';
import { wireJson } from '#operations';
import { type Database, OperatorError, SecretUnreadable } from '#persistence';
import { sentIdempotencyKey } from '../../http/header-lines.js';
import { isJsonObject, readJsonBodies } from '../../http/json-body.js';
import { problemFrom, sendProblem } from '../../http/problem.filter.js';
import { noSuchPath, Problem, problemOf } from '../../http/problem.js';
import { unknownNames } from '../../http/unknown-fields.js';
import { apiDocument } from './api-document.js';
import { checkBySchemas, faultsOf } from './body-schemas.js';
import { type Endpoint, endpoint, type OperatorService, type Person } from './endpoint.js';
import { ENDPOINTS } from './endpoints.js';
import { personOf, requireAccess } from './guard.js';
import { refuseOtherSites } from './refuse-other-sites.js';
import { refuseUnstorableTexts } from './storable-texts.js';

const NOBODY: Person = { name: 'nobody', role: 'viewer' };
/** Five columns of 5,000 lines of a carrier's records, and 1,000 routes, are half of it. */
const BODY_VALUES_MAX = 50_000;
const NO_FIELDS = Type.Object({}, { additionalProperties: false });

/** The operators' API below `/api`. `endpoint.ts` says how to add an endpoint, and what happens around each. */
export async function serveApi(server: FastifyInstance, service: OperatorService): Promise<void> {
  await server.register(
    async (api) => {
      readJsonBodies(api, BODY_VALUES_MAX);
      checkBySchemas(api);
      api.setReplySerializer(wireJson);
      api.setErrorHandler((error, request, reply) => answerRefusal(error, request, reply, service));
      api.setNotFoundHandler((request, reply) => {
        answerRefusal(noSuchPath(), request, reply, service);
      });
      api.addHook('onRequest', async (_request, reply) => {
        void reply.header('cache-control', 'no-store');
      });
      refuseOtherSites(api);
      refuseUnstorableTexts(api);
      for (const one of [...ENDPOINTS, describeApi]) addEndpoint(api, one, service);
    },
    { prefix: '/api' },
  );
}

const describeApi: Endpoint = endpoint({
  useCase: 'api.describe',
  method: 'GET',
  path: '/openapi.json',
  summary: 'This document',
  handle: () => apiDocument([...ENDPOINTS, describeApi]),
});

function addEndpoint(api: FastifyInstance, one: Endpoint, service: OperatorService): void {
  const { useCase, method, path, params, query, body, bodyBytesMax, isOpen = false } = one;
  api.route({
    method,
    url: path,
    config: { isOpen },
    ...(bodyBytesMax !== undefined && { bodyLimit: bodyBytesMax }),
    schema: {
      ...(params && { params }),
      querystring: closed(query ?? NO_FIELDS),
      ...(body && { body: closed(body) }),
    },
    onRequest: async (request) => {
      if (!isOpen) requireAccess(request, useCase);
    },
    ...(body === undefined && { preValidation: refuseFields }),
    handler: async (request, reply) => {
      const person = isOpen ? NOBODY : personOf(request);
      const further = one.mayUse?.({ query: request.query });
      if (further !== undefined) requireAccess(request, further);
      const { params, query, body } = request;
      const call = { params, query, body, requestKey: requestKeyOf(request), person, service, request, reply };
      const { statementTimeoutMs, isRecorded = method !== 'GET' } = one;
      const actor = actorOf(request, person);
      const handle = async (database: Database) => one.handle({ ...call, database });
      const answer = await (statementTimeoutMs === undefined
        ? handle(isRecorded ? service.database.actingAs(actor) : service.database)
        : service.long.run(actor, statementTimeoutMs, handle));
      if (one.status !== undefined) void reply.status(one.status);
      return reply.send(answer);
    },
  });
}

const closedSchemas = new WeakMap<object, object>();

/** A field that a schema does not name is refused. One object for each schema, so that it is compiled once. */
function closed(schema: object): object {
  const known = closedSchemas.get(schema) ?? { additionalProperties: false, ...schema };
  closedSchemas.set(schema, known);
  return known;
}

/** Of endpoints without a body: who sends a field expects that it bounds or changes what is done. */
async function refuseFields({ body }: FastifyRequest): Promise<void> {
  const faults = isJsonObject(body) ? unknownNames(body, [], 'field') : [];
  if (faults.length > 0) throw problemOf(faults);
}

/** The `Idempotency-Key`, of the endpoints that have one. */
function requestKeyOf({ raw }: FastifyRequest): string | undefined {
  const given = sentIdempotencyKey(raw);
  if (given === undefined || /^[\x20-\x7e]{1,255}$/.test(given)) return given;
  throw new Problem(
    'idempotency_key_invalid',
    'Idempotency-Key must be 1 to 255 printable ASCII characters, in one line.',
  );
}

/** Who is recorded with what a request changes. */
function actorOf({ ip, method, routeOptions }: FastifyRequest, { name }: Person) {
  return { operator: name, apiClient: ip, command: `${method} ${routeOptions.url}` };
}

function answerRefusal(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  { log }: OperatorService,
): FastifyReply {
  const problem = refusalFrom(error, request);
  if (problem.status >= 500) log.error({ err: error, requestId: request.id }, "a request of the operators' API failed");
  sendProblem(reply, request.id, problem);
  return reply;
}

function refusalFrom(error: unknown, request: FastifyRequest): Problem {
  if (error instanceof OperatorError) return new Problem(CODES[error.kind], sentence(error.message));
  if (error instanceof SecretUnreadable) return new Problem('unavailable', sentence(error.message));
  if (error instanceof MoneyError) return new Problem('invalid_request', sentence(error.message));
  const { validation } = error as { validation?: ErrorObject[] };
  return validation === undefined ? problemFrom(error, request) : problemOf(faultsOf(validation));
}

const CODES = {
  refused: 'not_possible',
  missing: 'not_found',
  unusual: 'unusual_adjustment',
} as const satisfies Record<OperatorError['kind'], Problem['code']>;

function sentence(reason: string): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
}
