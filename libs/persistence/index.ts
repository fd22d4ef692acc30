export type {
  AcceptRequest,
  AcceptSettings,
  AcceptVerdict,
  AccountRequest,
  PricedMessage,
} from './accept/accept-messages.js';
export { acceptMessages, acceptUnheldMessages, HELD } from './accept/accept-messages.js';
export type { AccountFigures, DepositItem, OrderItem, Page } from './accounts/account-reports.js';
export {
  acceptedOrders,
  accountFigures,
  depositsPage,
  findKeyedRequest,
  ordersPage,
  tariffRates,
} from './accounts/account-reports.js';
export type { AccountOverview, AccountStatus, NewAccount } from './accounts/accounts.js';
export { createAccount, findAccount, listAccounts } from './accounts/accounts.js';
export type { KeyHolder } from './accounts/api-keys.js';
export { createApiKey, findKeyHolder, findKeyHolders, isApiKey } from './accounts/api-keys.js';
export { type AccountChange, changeAccount, setCreditLimit } from './accounts/change-account.js';
export { closeAccount } from './accounts/close-account.js';
export type { MessageRecord, SegmentRecord, TransitionRecord } from './accounts/find-message.js';
export { findMessage } from './accounts/find-message.js';
export type { ListedMessage, MessageSelection } from './accounts/list-messages.js';
export { listMessages } from './accounts/list-messages.js';
export type { ApiKeyOverview } from './accounts/manage-api-keys.js';
export { addApiKey, listApiKeys, revokeApiKey } from './accounts/manage-api-keys.js';
export type { DemoAccount, DemoSettings } from './accounts/seed-demo.js';
export { seedDemo } from './accounts/seed-demo.js';
export type { QueuedFate, Suspension } from './accounts/suspend-account.js';
export { resumeAccount, suspendAccount } from './accounts/suspend-account.js';
export type { BindLease } from './carriers/carrier-binds.js';
export { leaseBinds, releaseBinds } from './carriers/carrier-binds.js';
export type { OpenCarrier } from './carriers/carrier-secrets.js';
export { openCarrier, SECRET_OPTIONS } from './carriers/carrier-secrets.js';
export type {
  CarrierProtocol,
  CarrierSettings,
  NewCarrier,
  StoredCarrier,
  StoredSecret,
} from './carriers/carrier-settings.js';
export { MESSAGE_ID_FORMATS } from './carriers/carrier-settings.js';
export type { CarrierError, CarrierState, WorkerBind } from './carriers/carrier-state.js';
export { carrierState, carriersInSum, workerBinds } from './carriers/carrier-state.js';
export type { CarrierTest, DueCarrierTest } from './carriers/carrier-tests.js';
export {
  carrierTestAccount,
  dueCarrierTests,
  requestCarrierTest,
  TEST_ACCOUNT_NAME,
} from './carriers/carrier-tests.js';
export type { CarrierChange } from './carriers/carriers.js';
export {
  addCarrier,
  changeCarrier,
  findCarrier,
  listCarriers,
  moveCarrier,
  removeCarrier,
  setCarrierPaused,
} from './carriers/carriers.js';
export type { ProcessWithoutKeys } from './carriers/processes-without-keys.js';
export { lackOf, processesWithoutKeys } from './carriers/processes-without-keys.js';
export type { Rotation, SecretsStatus } from './carriers/rotate-secrets.js';
export { rotateSecrets, secretsStatus, unreadableReason } from './carriers/rotate-secrets.js';
export type { RouteChange, RouteSettings, StoredRoute } from './carriers/routes.js';
export { addRoute, changeRoute, listRoutes, prefixWord, pricedWithoutRoute, removeRoute } from './carriers/routes.js';
export { SecretKeys, SecretUnreadable } from './carriers/secret-keys.js';
export type { ChangedThing } from './database/changes.js';
export { announceChange, ChangeListener } from './database/changes.js';
export { checkSessions, poolerAdvice } from './database/check-sessions.js';
export type { DatabaseOptions, Queryable } from './database/database.js';
export { Database } from './database/database.js';
export type { FailureKind } from './database/database-errors.js';
export { failureKind, hasSqlState, isLockTimeout, isPoison } from './database/database-errors.js';
export { DatabaseUnavailable } from './database/database-unavailable.js';
export { FreshReads, type ReadFrom } from './database/fresh-reads.js';
export type { Heartbeat, LiveProcess, ProcessRole, SeenProcess } from './database/heartbeat.js';
export {
  ALIVE_WITHIN_SECONDS,
  clockOffsetMs,
  liveProcesses,
  recordHeartbeat,
  removeHeartbeat,
  seenProcesses,
} from './database/heartbeat.js';
export { KeepHeartbeat } from './database/keep-heartbeat.js';
export { isBehindPooler } from './database/pooler.js';
export { Replica, type ReplicaLag, replicaLag } from './database/replica.js';
export { assignConcatenationReferences } from './dispatch/assign-concatenation-references.js';
export { type ClaimedOrder, type Claims, claimOrders } from './dispatch/claim-orders.js';
export type { BacklogLane, TurnPiece, TurnPlace, TurnWish, WaitingBacklog } from './dispatch/dispatch-turns.js';
export {
  ANY_CARRIER,
  backlogDepths,
  finishTurns,
  giveBackTurns,
  inFlightCaps,
  putInBacklog,
  takeTurn,
  tendBacklogs,
  waitingTurns,
} from './dispatch/dispatch-turns.js';
export { type Intent, recordIntents } from './dispatch/record-intents.js';
export { type OrderMove, recordSubmits, type SubmitResult } from './dispatch/record-submits.js';
export { renewLeases } from './dispatch/renew-leases.js';
export type { OrderPlace } from './dispatch/route-orders.js';
export {
  carriersWithQueues,
  countUnroutable,
  failUnroutable,
  NO_ROUTE,
  orderPlaces,
  queuedByRoute,
} from './dispatch/route-orders.js';
export type { AccountStatement, StatementLine } from './ledger/account-statement.js';
export { accountStatement } from './ledger/account-statement.js';
export type { BookedDeposit, Booking } from './ledger/deposits.js';
export { adjustBalance, bookDeposit, UnusualAdjustment } from './ledger/deposits.js';
export type { LedgerCheck, LedgerOffender, LedgerReport } from './ledger/ledger-verify.js';
export { VERIFY_STATEMENT_TIMEOUT_MS, verifyLedger } from './ledger/ledger-verify.js';
export { listDeposits } from './ledger/list-deposits.js';
export { ledgerTotals, stateCounts } from './ledger/operation-reports.js';
export type { OperatorActor } from './operators/operator-actor.js';
export type { ChangeSelection, OperatorChange } from './operators/operator-changes.js';
export { listOperatorChanges, recordOperatorAction } from './operators/operator-changes.js';
export { OperatorError } from './operators/operator-error.js';
export { ReceiptLanes } from './receipts/receipt-lanes.js';
export { type ReceiptToSettle, segmentReference, settleReceipts } from './receipts/settle-receipts.js';
export type { Reading, UnmatchedId, UnmatchedReceipt } from './receipts/unmatched-receipts.js';
export {
  changeUnmatchedIds,
  findNamedSegments,
  listUnmatchedIds,
  listUnmatchedReceipts,
} from './receipts/unmatched-receipts.js';
export type { DispatchHold, HeldOrders, RestoreNotice } from './recovery/dispatch-hold.js';
export {
  findHold,
  heldCounts,
  listHeldOrders,
  noticeRestoredDatabase,
  restoreAdvice,
  setHold,
} from './recovery/dispatch-hold.js';
export type { OpenWork } from './recovery/open-work.js';
export { hasStaleOrders, readOpenWork } from './recovery/open-work.js';
export type { OfferedOrder, StrandedWalk, Sweep, SweepSettings } from './recovery/reconcile-orders.js';
export {
  beginWalk,
  purgeExpired,
  releaseDeadWorkers,
  rematchReceipts,
  sweepOrders,
} from './recovery/reconcile-orders.js';
export type { HeldSelection, Resolution } from './recovery/resolve-hold.js';
export { releaseHold, resolveHeldOrders, settleReceiptedOrders } from './recovery/resolve-hold.js';
export type { RetainedSlice, RetentionProgress, RetentionSettings } from './retention/retention.js';
export {
  RETENTION_DAYS_MAX,
  ROW_DAYS_MIN,
  readRetention,
  retainNextSlice,
  retentionProgress,
  setRetention,
  TEXT_DAYS_MIN,
} from './retention/retention.js';
export { migrateDatabase } from './schema/migrate-database.js';
export { placeDefaultTariffs, placeFirstTariffs } from './tariffs/default-tariffs.js';
export type { FxRate } from './tariffs/fx-rates.js';
export { listFxRates, setFxRate } from './tariffs/fx-rates.js';
export type { ChangedRate, TariffDifference, WantedTariff } from './tariffs/import-tariff.js';
export { importTariff, previewTariff } from './tariffs/import-tariff.js';
export type { TariffOverview } from './tariffs/tariffs.js';
export {
  findDefaultTariff,
  findTariff,
  listRates,
  listTariffs,
  setDefaultTariff,
} from './tariffs/tariffs.js';
