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
export { batchCancel, messageCancel } from './cancel-messages.js';
export type { CarrierChanged, CarrierDetails } from './carriers/carrier-answers.js';
export type { CarrierWishes } from './carriers/carrier-settings.js';
export {
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
export { type RoutesChanged, routeAdd, routeList, routeRemove, routeSet } from './carriers/routes.js';
export { carrierTest, TEST_VALIDITY_SECONDS_MAX } from './carriers/send-carrier-test.js';
export { csvHeader, csvLine } from './csv.js';
export { type Diagnosis, doctor } from './doctor/examine-service.js';
export {
  guardClear,
  guardList,
  guardSet,
  guardShow,
  guardSimulate,
  SIMULATION_TIMEOUT_MS,
  suppressionAdd,
  suppressionList,
  suppressionRemove,
} from './guards.js';
export { HOLD_TIMEOUT_MS, holdRelease, holdResolve, holdSet, holdShow } from './holds.js';
export {
  inboundAssign,
  inboundList,
  keywordList,
  keywordRemove,
  keywordSet,
  numberAssign,
  numberList,
  numberRelease,
} from './inbound.js';
export { keyCreate, keyList, keyRevoke, keyRotate } from './keys.js';
export { MESSAGE_LIST_TIMEOUT_MS, type MessageDetails, messageList, messageShow } from './messages.js';
export {
  accountLedger,
  accountStatementBy,
  accountUsageBy,
  adjust,
  deposit,
  depositList,
  fxList,
  fxSet,
  STATEMENT_TIMEOUT_MS,
  USAGE_TIMEOUT_MS,
} from './money.js';
export {
  operatorAdd,
  operatorDisable,
  operatorEnable,
  operatorList,
  operatorRemove,
  operatorReset,
  operatorRole,
  tokenAdd,
  tokenList,
  tokenRevoke,
} from './operators.js';
export {
  redactMessageOf,
  redactNumberOf,
  retentionSet,
  retentionSetAccount,
  retentionShow,
  retentionShowAccount,
} from './privacy.js';
export { queueList } from './queues.js';
export { ledgerVerify, receiptsUnmatched, secretsRotate, secretsShow, VERIFY_TIMEOUT_MS } from './service.js';
export {
  type TariffDetails,
  tariffCancel,
  tariffImport,
  tariffList,
  tariffPreview,
  tariffSetDefault,
  tariffShow,
} from './tariffs.js';
export { webhookAttempts, webhookDisable, webhookEnable, webhookList, webhookReplay, webhookShow } from './webhooks.js';
export { asWire, type Page, type Wire, wireJson } from './wire.js';
export { counted, listed } from './words.js';
