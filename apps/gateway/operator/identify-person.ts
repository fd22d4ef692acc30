import cookies from '@fastify/cookie';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Coalescer } from '#batching';
import type { Config } from '#config';
import { continueSession, type Database, findSessions, findTokenHolder, type OperatorSession } from '#persistence';
import { hasPassword } from '#telemetry';
import { isBackground } from '../http/poll-pace.js';
import { Problem } from '../http/problem.js';
import type { Person } from './api/endpoint.js';
import type { LoginWatch } from './login-watch.js';
import { mayReadMetrics } from './serve-metrics.js';
import { sessionTokenOf } from './session-cookie.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is signed in. */
    person?: Person;
  }
  interface FastifyContextConfig {
    /** For everybody, signed in or not. */
    isOpen?: boolean;
  }
}

/**
 * Nobody waits for such a request, so those of a moment share one look-up. A session that has ended is refused at once,
 * however many consoles are open, because nothing is kept from one look-up to the next.
 */
const LOOK_UP = { itemsMax: 500, pendingMax: 5_000, waitMaxMs: 10_000, gatherMs: 100 };

type FindSession = (token: string) => Promise<OperatorSession | undefined>;

/**
 * Finds out who makes a request, and refuses strangers: by the cookie of a session, or by a token
 * (`Authorization: Bearer hgo_...`). What is not the API may also be opened with OPERATOR_PASSWORD, by HTTP Basic with
 * any user name, and the metrics with METRICS_PASSWORD.
 */
export async function identifyPeople(
  server: FastifyInstance,
  config: Config,
  database: Database,
  logins: LoginWatch,
): Promise<void> {
  await server.register(cookies);
  const inBackground = new Coalescer((tokens: string[]) => findSessions(database, tokens), LOOK_UP);
  const find = (request: FastifyRequest): FindSession =>
    isActivity(request) ? (token) => continueSession(database, token) : (token) => inBackground.add(token);
  server.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.isOpen === true) return;
    const isApi = isOfApi(request);
    const sent = sentSecret(request, isApi);
    if (sent !== undefined) {
      const waitMs = logins.waitMs(request);
      if (waitMs > 0) return refuseForNow(reply, waitMs, isApi);
      const person = sent.startsWith('Bearer ')
        ? await personByToken(database, sent.slice('Bearer '.length))
        : personByPassword(config, request);
      if (person !== undefined) {
        logins.succeeded(request);
        request.person = person;
        return;
      }
    }
    const person = await personBySession(find(request), request, isApi);
    if (person !== undefined) request.person = person;
    else {
      if (sent !== undefined) logins.failed(request);
      await refuseStranger(reply, isApi, sent !== undefined);
    }
  });
}

/** Whether a request is of the API; by its route as well: `/%61pi/accounts` and `http://host/api/accounts` are. */
function isOfApi({ url, routeOptions }: FastifyRequest): boolean {
  return [url, routeOptions.url].some((path) => path !== undefined && /^\/api(\/|$)/.test(path));
}

/** The password or token of a request. A browser adds a password that it knows to requests of the API as well. */
function sentSecret({ headers: { authorization } }: FastifyRequest, isApi: boolean): string | undefined {
  if (authorization === undefined) return undefined;
  const [, token] = /^bearer (hgo_\S*)$/i.exec(authorization) ?? [];
  if (token !== undefined) return `Bearer ${token}`;
  return isApi && /^basic /i.test(authorization) ? undefined : authorization;
}

async function personByToken(database: Database, text: string): Promise<Person | undefined> {
  const token = await findTokenHolder(database, text);
  return token && { name: `${token.name} (token ${token.tokenId})`, role: token.role, token };
}

function personByPassword(config: Config, { headers, routeOptions }: FastifyRequest): Person | undefined {
  const { OPERATOR_PASSWORD } = config;
  const isRight =
    (OPERATOR_PASSWORD !== undefined && hasPassword(headers.authorization, OPERATOR_PASSWORD)) ||
    mayReadMetrics(config, routeOptions.url, headers.authorization);
  return isRight ? { name: 'OPERATOR_PASSWORD', role: 'viewer' } : undefined;
}

/** A page asks by itself as well, and so does the board of the queues: that does not keep a session alive. */
function isActivity(request: FastifyRequest): boolean {
  return !isBackground(request) && !request.url.startsWith('/queues/api/');
}

async function personBySession(
  find: FindSession,
  request: FastifyRequest,
  isApi: boolean,
): Promise<Person | undefined> {
  const cookie = sessionTokenOf(request);
  const session = cookie === undefined ? undefined : await find(cookie);
  if (session === undefined || (session.mustChangePassword && !isApi)) return undefined;
  return { name: session.name, role: session.role, session };
}

async function refuseForNow(reply: FastifyReply, waitMs: number, isApi: boolean): Promise<void> {
  const retryAfter = String(Math.ceil(waitMs / 1_000));
  if (isApi) throw tooManyWrong(waitMs / 1_000);
  await reply.status(429).header('retry-after', retryAfter).send({ success: false, code: 'rate_limited' });
}

async function refuseStranger(reply: FastifyReply, isApi: boolean, hasToken: boolean): Promise<void> {
  // A browser would answer a challenge with a dialog of its own, before the page of the console.
  if (isApi) {
    throw new Problem(
      'not_signed_in',
      hasToken ? 'This token is not known, is over, or was revoked.' : 'Sign in first.',
    );
  }
  await reply
    .status(401)
    .header('www-authenticate', 'Basic realm="Heliograph operator", charset="UTF-8"')
    .send({ success: false, code: 'unauthorized' });
}

/** The refusal of a try after too many wrong ones. */
export function tooManyWrong(waitSeconds: number): Problem {
  const seconds = Math.ceil(waitSeconds);
  return new Problem('rate_limited', `Too many wrong passwords or codes. Try again in ${seconds} seconds.`, {
    headers: { 'retry-after': String(seconds) },
  });
}
