export type { AcceptRequest, AcceptSettings, AcceptVerdict, PricedMessage } from './accept-messages.js';
export { acceptMessages } from './accept-messages.js';
export type { AccountFigures, DepositItem, OrderItem, Page } from './account-reports.js';
export { acceptedOrders, accountFigures, depositsPage, ordersPage, tariffRates } from './account-reports.js';
export type { KeyHolder } from './api-keys.js';
export { createApiKey, findKeyHolder } from './api-keys.js';
export type { ChangedThing } from './changes.js';
export { announceChange, ChangeListener } from './changes.js';
export type { CoalescerLimits } from './coalescer.js';
export { Coalescer, Overloaded } from './coalescer.js';
export type { DatabaseOptions, Queryable } from './database.js';
export { Database, DatabaseUnavailable, migrateDatabase } from './database.js';
export type { FailureKind } from './database-errors.js';
export { failureKind, isPoison } from './database-errors.js';
export type { ClaimedOrder, Intent, OrderMove, ReceiptToSettle, SubmitResult } from './dispatch-orders.js';
export {
  assignConcatenationReferences,
  claimOrders,
  recordIntents,
  recordSubmits,
  renewLeases,
  segmentReference,
  settleReceipts,
} from './dispatch-orders.js';
export type { Heartbeat, ProcessRole } from './heartbeat.js';
export { ALIVE_WITHIN_SECONDS, clockOffsetMs, liveProcesses, recordHeartbeat, removeHeartbeat } from './heartbeat.js';
export { ledgerTotals, stateCounts } from './operation-reports.js';
export type { SweepSettings } from './reconcile-orders.js';
export { purgeExpired, rematchReceipts, sweepOrders } from './reconcile-orders.js';
