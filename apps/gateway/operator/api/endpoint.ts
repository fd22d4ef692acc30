import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '#config';
import type { Database, OperatorRole, OperatorSession, TokenHolder } from '#persistence';
import type { DispatchQueues } from '#queue';
import type { Logger } from '#telemetry';
import type { ProblemCode } from '../../http/problem.js';
import type { LoginWatch } from '../login-watch.js';
import type { Snapshot } from '../snapshot.js';
import type { UseCase } from './access.js';
import type { LongStatements } from './long-statements.js';

/**
 * HOW TO ADD AN ENDPOINT of the operators' API, `/api` on the operators' listener:
 *
 * 1. Name the use case in the table of `access.ts`, with the roles that may do it; `isConfirmed: true` if it moves
 *    money, changes roles or decides about a hold. A command of smsctl gives its name: `account create` is
 *    `account.create`.
 * 2. Write the endpoint in the list of its topic (`accounts/account-endpoints.ts`):
 *
 *        endpoint({
 *          useCase: 'account.create',
 *          method: 'POST',
 *          path: '/accounts',
 *          summary: 'Opens an account',
 *          body: Type.Object({ name: Type.String({ minLength: 1 }) }),
 *          answer: Account,
 *          run: accountCreate,
 *        }),
 *
 *    `run` is a function of `libs/operations`, which smsctl calls as well; what needs more than the database and the
 *    fields of the request has a `handle` instead.
 *
 * 3. The list of a new topic has its line in `endpoints.ts`.
 *
 * What `serve-api.ts` does for every endpoint:
 *
 * - It lets only the roles of the table in, and refuses changes that a browser makes for another site. `isConfirmed`
 *   asks a person for the second factor again; a token has none, and passes.
 * - `params`, `query` and `body` are checked by their TypeBox schemas, and have their types. A field that a schema does
 *   not name is refused. Queries and parameters are converted (`?limit=5` is a number), bodies never are: amounts are
 *   decimal strings (`"12.50"`), never numbers.
 * - `database` acts for the person: what an endpoint with another method than GET changes through it is recorded in the
 *   audit log under the person's name, in the same transaction. So call the use case of `libs/operations` that smsctl
 *   calls, and record nothing yourself.
 * - The answer is JSON with status 200 (`status` names another one; nothing to say: `undefined` and status 204). A
 *   bigint is an amount in micro-units and becomes a decimal string, a Date becomes ISO 8601 in UTC, undefined is left
 *   out. `answer` describes it in the OpenAPI document, which is made from the list. Give fields `examples`: the
 *   document makes its examples of bodies and answers from them.
 * - Refusals are thrown: `new Problem('not_found', 'There is no account 4711.')`, with the codes of
 *   `http/error-catalogue.ts` and `http/operator-errors.ts`. `refusals` names those that do not follow from the rest of
 *   the definition (`refusals.ts`). An `OperatorError` of a use case becomes 409 `not_possible` with its reason. They
 *   are answered like those of /v1, as problem documents (RFC 9457).
 *
 * A page that asks by itself, without a person, sends the header `X-Background: 1`: such requests do not keep a session
 * alive. Specs call `operatorApi(gateway)` of `test/support/operator-api.ts`.
 */
export function endpoint<
  Params extends TObject = NoFields,
  Query extends TObject = NoFields,
  Body extends TSchema = NoFields,
>(definition: EndpointDefinition<Params, Query, Body>): Endpoint {
  const {
    run,
    handle = run && ((call: Fields) => run(call.database, { ...call.query, ...call.body, ...call.params } as never)),
  } = definition;
  // The server has checked what it passes on by the very schemas that give these types.
  return { ...definition, handle } as unknown as Endpoint;
}

type Fields = Call<object, object, object | undefined>;

/** Who is signed in: a person with a session, or a program with a token. */
export interface Person {
  /** As the audit log has it. */
  readonly name: string;
  readonly role: OperatorRole;
  readonly session?: OperatorSession;
  readonly token?: TokenHolder;
}

/** What the gateway has for use cases. */
export interface OperatorService {
  /** Records nobody's name; endpoints change things through the database of their call. */
  readonly database: Database;
  readonly config: Config;
  readonly logins: LoginWatch;
  readonly queues: DispatchQueues;
  readonly log: Logger;
  readonly long: LongStatements;
  /** What many look at. */
  readonly overview: Snapshot;
  readonly doctor: Snapshot;
  readonly waiting: Snapshot;
}

export interface Call<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The `Idempotency-Key` of the request. */
  readonly requestKey: string | undefined;
  readonly person: Person;
  readonly database: Database;
  readonly service: OperatorService;
  readonly request: FastifyRequest;
  /** For headers of the answer, as of a file to download, and its status if that depends on the request. */
  readonly reply: FastifyReply;
}

type NoFields = TObject<Record<never, never>>;

interface EndpointDefinition<Params extends TObject, Query extends TObject, Body extends TSchema> {
  readonly useCase: UseCase;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api`, with parameters as Fastify writes them: `/accounts/:accountId`. */
  readonly path: string;
  /** A sentence without its full stop. */
  readonly summary: string;
  readonly description?: string;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly answer?: TSchema;
  /** The answer is a file of this media type instead; `handle` gives its text as a stream. */
  readonly media?: 'text/csv';
  /** Of an answer; 200 unless given. */
  readonly status?: 200 | 201 | 202 | 204;
  /** For everybody, signed in or not; its call has no person. */
  readonly isOpen?: true;
  /** More than the 16 KiB that the bodies of other endpoints may have. */
  readonly bodyBytesMax?: number;
  /** More than a statement of the gateway may take: it gets a connection of its own. */
  readonly statementTimeoutMs?: number;
  /** A GET that is recorded in the audit log, e.g. because it shows texts of messages. */
  readonly isRecorded?: true;
  /** `Idempotency-Key` is passed on. */
  readonly isKeyed?: true;
  /** Codes of refusals beside those that follow from the definition (`refusals.ts`). */
  readonly refusals?: readonly ProblemCode[];
  /** What this request needs beyond the use case of the endpoint. */
  readonly mayUse?: (call: { readonly query: Static<Query> }) => UseCase | undefined;
  /** The use case, if it takes the fields of parameters, query and body together; else `handle`. */
  readonly run?: (database: Database, input: Static<Params> & Static<Query> & Static<Body>) => unknown;
  readonly handle?: (call: Call<Static<Params>, Static<Query>, Static<Body>>) => unknown;
}

export interface Endpoint extends Omit<EndpointDefinition<TObject, TObject, TSchema>, 'run' | 'handle' | 'mayUse'> {
  readonly mayUse?: (call: { readonly query: unknown }) => UseCase | undefined;
  readonly handle: (call: Call<unknown, unknown, unknown>) => unknown;
}
