import {
  accountClose,
  accountCreate,
  accountList,
  accountResume,
  accountSet,
  accountSetCreditLimit,
  accountSetRateLimit,
  accountShow,
  accountStatementBy,
  accountSuspend,
  accountUsageBy,
  adjust,
  audit,
  carrierAdd,
  carrierList,
  carrierPause,
  carrierRemove,
  carrierResume,
  carrierSet,
  carrierShow,
  carrierTest,
  type Diagnosis,
  deposit,
  depositList,
  fxList,
  fxSet,
  guardClear,
  guardList,
  guardSet,
  guardShow,
  guardSimulate,
  HOLD_TIMEOUT_MS,
  holdRelease,
  holdResolve,
  holdSet,
  holdShow,
  keyCreate,
  keyList,
  keyRevoke,
  keyRotate,
  ledgerVerify,
  MESSAGE_LIST_TIMEOUT_MS,
  messageList,
  messageShow,
  OPEN_MESSAGES_TIMEOUT_MS,
  operatorAdd,
  operatorDisable,
  operatorEnable,
  operatorList,
  operatorRemove,
  operatorReset,
  operatorRole,
  receiptsUnmatched,
  retentionSet,
  retentionShow,
  routeAdd,
  routeList,
  routeRemove,
  routeSet,
  routeTest,
  SIMULATION_TIMEOUT_MS,
  STATEMENT_TIMEOUT_MS,
  secretsRotate,
  secretsShow,
  suppressionAdd,
  suppressionList,
  suppressionRemove,
  tariffImport,
  tariffList,
  tariffPreview,
  tariffSetDefault,
  tariffShow,
  tokenAdd,
  tokenList,
  tokenRevoke,
  USAGE_TIMEOUT_MS,
  VERIFY_TIMEOUT_MS,
  type Wire,
  webhookDisable,
  webhookEnable,
  webhookList,
  webhookShow,
} from '#operations';
import type { Database } from '#persistence';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A use case: on the database here, or as a request to the operators' API of another machine. */
export interface Request<Input, Answer> {
  readonly method: Method;
  /** Below `/api`; `:name` is a field of the input, the others are its query or its body. */
  readonly path: string;
  readonly run: (database: Database, input: Input) => Promise<Answer>;
  /** More than a statement may take otherwise. */
  readonly statementTimeoutMs: number | undefined;
}

function request<Input, Answer>(
  method: Method,
  path: string,
  run: (database: Database, input: Input) => Promise<Answer>,
  statementTimeoutMs?: number,
): Request<Input, Answer> {
  return { method, path, run, statementTimeoutMs };
}

/** Each command that asks the service for something has its request here, under the name of the use case. */
export const REQUESTS = {
  'account.list': request('GET', '/accounts', accountList),
  'account.create': request('POST', '/accounts', accountCreate),
  'account.show': request('GET', '/accounts/:accountId', accountShow),
  'account.set': request('PATCH', '/accounts/:accountId', accountSet),
  'account.set-rate-limit': request('PUT', '/accounts/:accountId/rate-limit', accountSetRateLimit),
  'account.set-credit-limit': request('PUT', '/accounts/:accountId/credit-limit', accountSetCreditLimit),
  'account.suspend': request('POST', '/accounts/:accountId/suspend', accountSuspend, OPEN_MESSAGES_TIMEOUT_MS),
  'account.resume': request('POST', '/accounts/:accountId/resume', accountResume, OPEN_MESSAGES_TIMEOUT_MS),
  'account.close': request('POST', '/accounts/:accountId/close', accountClose, OPEN_MESSAGES_TIMEOUT_MS),
  'account.statement': request('GET', '/accounts/:accountId/statement', accountStatementBy, STATEMENT_TIMEOUT_MS),
  'account.usage': request('GET', '/accounts/:accountId/usage', accountUsageBy, USAGE_TIMEOUT_MS),

  deposit: request('POST', '/accounts/:accountId/deposits', deposit),
  'deposit.list': request('GET', '/accounts/:accountId/deposits', depositList),
  adjust: request('POST', '/accounts/:accountId/adjustments', adjust),
  'fx.list': request('GET', '/fx-rates', fxList),
  'fx.set': request('PUT', '/fx-rates/:from/:to', fxSet),

  'key.list': request('GET', '/accounts/:accountId/keys', keyList),
  'key.create': request('POST', '/accounts/:accountId/keys', keyCreate),
  'key.rotate': request('POST', '/keys/:keyId/rotate', keyRotate),
  'key.revoke': request('POST', '/keys/:keyId/revoke', keyRevoke),

  'guard.list': request('GET', '/guards', guardList),
  'guard.show': request('GET', '/guards/:accountId', guardShow),
  'guard.set': request('PATCH', '/guards/:accountId', guardSet),
  'guard.clear': request('DELETE', '/guards/:accountId', guardClear),
  'guard.simulate': request('POST', '/guards/:accountId/simulate', guardSimulate, SIMULATION_TIMEOUT_MS),
  'suppression.list': request('GET', '/accounts/:accountId/suppressions', suppressionList),
  'suppression.add': request('POST', '/accounts/:accountId/suppressions', suppressionAdd),
  'suppression.remove': request('DELETE', '/accounts/:accountId/suppressions', suppressionRemove),

  'tariff.list': request('GET', '/tariffs', tariffList),
  'tariff.show': request('GET', '/tariffs/:name', tariffShow),
  'tariff.import': request('PUT', '/tariffs/:name', tariffImport),
  'tariff.preview': request('POST', '/tariffs/:name/preview', tariffPreview),
  'tariff.set-default': request('POST', '/tariffs/:name/set-default', tariffSetDefault),

  'carrier.list': request('GET', '/carriers', carrierList),
  'carrier.add': request('POST', '/carriers', carrierAdd),
  'carrier.show': request('GET', '/carriers/:name', carrierShow),
  'carrier.set': request('PATCH', '/carriers/:name', carrierSet),
  'carrier.pause': request('POST', '/carriers/:name/pause', carrierPause),
  'carrier.resume': request('POST', '/carriers/:name/resume', carrierResume),
  'carrier.remove': request('DELETE', '/carriers/:name', carrierRemove),
  'carrier.test': request('POST', '/carriers/:name/test', carrierTest),

  'route.list': request('GET', '/routes', routeList),
  'route.add': request('POST', '/routes', routeAdd),
  'route.set': request('PATCH', '/routes', routeSet),
  'route.remove': request('DELETE', '/routes', routeRemove),
  'route.test': request('GET', '/routes/test', routeTest),

  'message.list': request('GET', '/messages', messageList, MESSAGE_LIST_TIMEOUT_MS),
  'message.show': request('GET', '/messages/:id', messageShow),
  'receipts.unmatched': request('GET', '/receipts/unmatched', receiptsUnmatched),

  'webhook.list': request('GET', '/webhooks', webhookList),
  'webhook.show': request('GET', '/webhooks/:endpointId', webhookShow),
  'webhook.disable': request('POST', '/webhooks/:endpointId/disable', webhookDisable),
  'webhook.enable': request('POST', '/webhooks/:endpointId/enable', webhookEnable),

  'hold.show': request('GET', '/hold', holdShow, HOLD_TIMEOUT_MS),
  'hold.set': request('PUT', '/hold', holdSet),
  'hold.resolve': request('POST', '/hold/resolve', holdResolve, HOLD_TIMEOUT_MS),
  'hold.release': request('POST', '/hold/release', holdRelease, HOLD_TIMEOUT_MS),

  'ledger.verify': request('POST', '/ledger/verify', ledgerVerify, VERIFY_TIMEOUT_MS),
  'retention.show': request('GET', '/retention', retentionShow),
  'retention.set': request('PATCH', '/retention', retentionSet),
  'secrets.status': request('GET', '/secrets', secretsShow),
  'secrets.rotate': request('POST', '/secrets/rotate', secretsRotate),

  'operator.list': request('GET', '/operators', operatorList),
  'operator.add': request('POST', '/operators', operatorAdd),
  'operator.role': request('PUT', '/operators/:name/role', operatorRole),
  'operator.reset': request('POST', '/operators/:name/reset', operatorReset),
  'operator.disable': request('POST', '/operators/:name/disable', operatorDisable),
  'operator.enable': request('POST', '/operators/:name/enable', operatorEnable),
  'operator.remove': request('DELETE', '/operators/:name', operatorRemove),
  'operator.token.list': request('GET', '/tokens', tokenList),
  'operator.token.add': request('POST', '/tokens', tokenAdd),
  'operator.token.revoke': request('DELETE', '/tokens/:tokenId', tokenRevoke),
  audit: request('GET', '/audit-log', audit),
  // What doctor needs of this machine is more than a database, so the command itself runs it here.
  doctor: request<unknown, Diagnosis>('GET', '/doctor', () => Promise.reject(new Error('run by the command'))),
};

export type RequestName = keyof typeof REQUESTS;
export type InputOf<Name extends RequestName> =
  (typeof REQUESTS)[Name] extends Request<infer Input, unknown> ? Input : never;
export type AnswerOf<Name extends RequestName> =
  (typeof REQUESTS)[Name] extends Request<never, infer Answer> ? Wire<Answer> : never;
