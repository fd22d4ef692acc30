export type { AccountAnswer, NewAccountAnswer, SuspensionAnswer } from './accounts.js';
export {
  accountClose,
  accountCreate,
  accountList,
  accountResume,
  accountSet,
  accountSetCreditLimit,
  accountSetRateLimit,
  accountSetTestBalance,
  accountShow,
  accountSuspend,
  OPEN_MESSAGES_TIMEOUT_MS,
} from './accounts.js';
export { AUDIT_CSV_HEADER, type AuditEntry, audit, auditCsv, auditExport } from './audit.js';
export { costImport, costShow, MARGIN_TIMEOUT_MS, margin } from './books/margin.js';
export {
  CDR_LINES_MAX,
  RECONCILE_TIMEOUT_MS,
  reconcile,
  reconcileAdd,
  reconcileCompare,
  reconcileDifferences,
  reconcileRemove,
} from './books/reconcile.js';
export {
  MONTHLY_STATEMENT_TIMEOUT_MS,
  type StatementFormat,
  statement,
  statementFile,
  statementFileBy,
} from './books/statement.js';
export { batchCancel, type CancelAnswer, messageCancel } from './cancel-messages.js';
export type { CarrierAnswer, CarrierChanged, CarrierDetails } from './carriers/carrier-answers.js';
export type { CarrierWishes } from './carriers/carrier-settings.js';
export {
  type CarrierRemoved,
  carrierAdd,
  carrierList,
  carrierPause,
  carrierRemove,
  carrierResume,
  carrierSet,
  carrierShow,
} from './carriers/carriers.js';
export { type CarrierChoice, routeTest } from './carriers/choose-carriers.js';
export { routePreview, routeReplace } from './carriers/replace-routes.js';
export { type RouteAnswer, type RoutesChanged, routeAdd, routeList, routeRemove, routeSet } from './carriers/routes.js';
export { type CarrierTestSent, carrierTest, TEST_VALIDITY_SECONDS_MAX } from './carriers/send-carrier-test.js';
export { csvHeader, csvLine } from './csv.js';
export { type Diagnosis, doctor } from './doctor/examine-service.js';
export type { ServersInUse } from './doctor/finding.js';
export {
  type GuardAnswer,
  guardClear,
  guardList,
  guardSet,
  guardShow,
  guardSimulate,
  SIMULATION_TIMEOUT_MS,
  type SuppressionAnswer,
  suppressionAdd,
  suppressionList,
  suppressionRemove,
} from './guards.js';
export {
  HOLD_TIMEOUT_MS,
  type HoldAnswer,
  type HoldResolved,
  holdRelease,
  holdResolve,
  holdSet,
  holdShow,
} from './holds.js';
export {
  type InboundAnswer,
  inboundAssign,
  inboundList,
  keywordList,
  keywordRemove,
  keywordSet,
  numberAssign,
  numberList,
  numberRelease,
} from './inbound.js';
export { type KeyAnswer, keyCreate, keyList, keyRevoke, keyRotate, type NewKeyAnswer } from './keys.js';
export {
  MESSAGE_LIST_TIMEOUT_MS,
  type MessageAnswer,
  type MessageDetails,
  messageList,
  messageShow,
} from './messages.js';
export {
  accountLedger,
  accountStatementBy,
  accountUsageBy,
  adjust,
  type BookingAnswer,
  type DepositAnswer,
  deposit,
  depositList,
  fxList,
  fxSet,
  STATEMENT_TIMEOUT_MS,
  type StatementAnswer,
  USAGE_TIMEOUT_MS,
  type UsageAnswer,
} from './money.js';
export {
  type NewTokenAnswer,
  type OperatorAnswer,
  type OperatorWithPassword,
  operatorAdd,
  operatorDisable,
  operatorEnable,
  operatorList,
  operatorRemove,
  operatorReset,
  operatorRole,
  type TokenAnswer,
  tokenAdd,
  tokenList,
  tokenRevoke,
} from './operators.js';
export {
  type RetentionAnswer,
  redactMessageOf,
  redactNumberOf,
  retentionSet,
  retentionSetAccount,
  retentionShow,
  retentionShowAccount,
} from './privacy.js';
export { queueList } from './queues.js';
export {
  type LedgerAnswer,
  ledgerVerify,
  receiptsUnmatched,
  secretsRotate,
  secretsShow,
  type UnmatchedAnswer,
  VERIFY_TIMEOUT_MS,
} from './service.js';
export {
  type TariffAnswer,
  type TariffDetails,
  type TariffImported,
  type TariffPreview,
  tariffCancel,
  tariffImport,
  tariffList,
  tariffPreview,
  tariffSetDefault,
  tariffShow,
} from './tariffs.js';
export {
  type WebhookAnswer,
  webhookAttempts,
  webhookDisable,
  webhookEnable,
  webhookList,
  webhookReplay,
  webhookShow,
} from './webhooks.js';
export { asWire, type Page, type Paging, type Wire, wireJson } from './wire.js';
export { counted, listed } from './words.js';
