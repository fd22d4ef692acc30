import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { KeyHolder } from '#persistence';
import type { ApiKeys } from './api-keys.js';
import { isOfAccounts, refusalByBounds } from './key-bounds.js';
import { isBackground } from './poll-pace.js';
import { Problem } from './problem.js';
import type { RecordKeyUse } from './record-key-use.js';
import { keyExpired, unauthorized, WrongKeys } from './unauthorized.js';

export interface AuthenticatedRequest extends FastifyRequest {
  account?: KeyHolder;
}

/**
 * Finds the account of a request before the body is read, so that nobody without a key can make the service parse
 * megabytes. A malformed, an unknown and a revoked key get the same answer; a missing key is answered with the name of
 * the header. The bounds of a key are checked at each request; most keys have none. These refusals are late, so that a
 * flood of them delays no account.
 */
export function authenticate(
  keys: ApiKeys,
  uses: RecordKeyUse,
  refuseLate: (done: HookHandlerDoneFunction, problem: Problem) => void,
) {
  const wrongKeys = new WrongKeys();
  const judge = (request: AuthenticatedRequest, account: KeyHolder | undefined): Problem | undefined => {
    if (account === undefined) return wrongKeys.refusal(request);
    uses.note(account.keyId);
    const { bounds } = account;
    if (bounds !== undefined && bounds.expiresAtMs <= performance.now()) return keyExpired();
    if (account.suspended) return new Problem('account_suspended', 'This account is suspended. Ask the operator.');
    if (account.closed) return new Problem('account_closed', 'This account is closed.');
    request.account = account;
    return bounds && refusalByBounds(bounds, request);
  };
  return (request: AuthenticatedRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => {
    if (!isOfAccounts(request)) return done();
    const apiKey = request.headers['x-authorization'];
    if (typeof apiKey !== 'string' || apiKey === '') return refuseLate(done, unauthorized());
    const answer = (account: KeyHolder | undefined) => {
      if (account?.isTest) reply.header('heliograph-test', 'true');
      const problem = judge(request, account);
      if (problem === undefined) done();
      else refuseLate(done, problem);
    };
    const account = keys.holderOf(apiKey, isBackground(request));
    if (account instanceof Promise) account.then(answer, done);
    else answer(account);
  };
}
