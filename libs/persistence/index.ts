export type { AcceptRequest, AcceptSettings, AcceptVerdict, PricedMessage } from './accept-messages.js';
export { acceptMessages } from './accept-messages.js';
export type { AccountFigures, DepositItem, OrderItem, Page } from './account-reports.js';
export {
  acceptedOrders,
  accountFigures,
  depositsPage,
  findKeyedRequest,
  ordersPage,
  tariffRates,
} from './account-reports.js';
export type { AccountStatement, StatementLine } from './account-statement.js';
export { accountStatement } from './account-statement.js';
export type { AccountOverview, AccountStatus, NewAccount } from './accounts.js';
export { createAccount, findAccount, listAccounts } from './accounts.js';
export type { KeyHolder } from './api-keys.js';
export { createApiKey, findKeyHolder, findKeyHolders, isApiKey } from './api-keys.js';
export type { BindLease, HeldBind } from './carrier-binds.js';
export { heldBinds, leaseBinds, releaseBinds } from './carrier-binds.js';
export type { OpenCarrier } from './carrier-secrets.js';
export { openCarrier, SECRET_OPTIONS } from './carrier-secrets.js';
export type { CarrierProtocol, CarrierSettings, NewCarrier, StoredCarrier, StoredSecret } from './carrier-settings.js';
export { MESSAGE_ID_FORMATS } from './carrier-settings.js';
export type { CarrierError, CarrierState, WorkerBind } from './carrier-state.js';
export { carrierState, carriersInSum, workerBinds } from './carrier-state.js';
export type { CarrierTest, DueCarrierTest } from './carrier-tests.js';
export { carrierTestAccount, dueCarrierTests, requestCarrierTest, TEST_ACCOUNT_NAME } from './carrier-tests.js';
export type { CarrierChange } from './carriers.js';
export {
  addCarrier,
  changeCarrier,
  findCarrier,
  listCarriers,
  moveCarrier,
  removeCarrier,
  setCarrierPaused,
} from './carriers.js';
export { type AccountChange, changeAccount, setCreditLimit } from './change-account.js';
export type { ChangedThing } from './changes.js';
export { announceChange, ChangeListener } from './changes.js';
export { checkSessions, poolerAdvice } from './check-sessions.js';
export { closeAccount } from './close-account.js';
export type { CoalescerLimits } from './coalescer.js';
export { Coalescer, Overloaded } from './coalescer.js';
export type { DatabaseOptions, Queryable } from './database.js';
export { Database, DatabaseUnavailable, migrateDatabase } from './database.js';
export type { FailureKind } from './database-errors.js';
export { failureKind, hasSqlState, isPoison } from './database-errors.js';
export { placeDefaultTariffs, placeFirstTariffs } from './default-tariffs.js';
export type { BookedDeposit, Booking } from './deposits.js';
export { adjustBalance, bookDeposit, UnusualAdjustment } from './deposits.js';
export type { DispatchHold, HeldOrders, RestoreNotice } from './dispatch-hold.js';
export {
  findHold,
  heldCounts,
  listHeldOrders,
  noticeRestoredDatabase,
  restoreAdvice,
  setHold,
} from './dispatch-hold.js';
export type { ClaimedOrder, Claims, Intent, OrderMove, ReceiptToSettle, SubmitResult } from './dispatch-orders.js';
export {
  assignConcatenationReferences,
  claimOrders,
  recordIntents,
  recordSubmits,
  renewLeases,
  segmentReference,
  settleReceipts,
} from './dispatch-orders.js';
export type { BacklogLane, TurnPiece, TurnPlace, TurnWish, WaitingBacklog } from './dispatch-turns.js';
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
} from './dispatch-turns.js';
export type { MessageRecord, SegmentRecord, TransitionRecord } from './find-message.js';
export { findMessage } from './find-message.js';
export { FreshReads, type ReadFrom } from './fresh-reads.js';
export type { FxRate } from './fx-rates.js';
export { listFxRates, setFxRate } from './fx-rates.js';
export type { Heartbeat, LiveProcess, ProcessRole, SeenProcess } from './heartbeat.js';
export {
  ALIVE_WITHIN_SECONDS,
  clockOffsetMs,
  liveProcesses,
  recordHeartbeat,
  removeHeartbeat,
  seenProcesses,
} from './heartbeat.js';
export type { ChangedRate, TariffDifference, WantedTariff } from './import-tariff.js';
export { importTariff, previewTariff } from './import-tariff.js';
export { KeepHeartbeat } from './keep-heartbeat.js';
export type { LedgerCheck, LedgerOffender, LedgerReport } from './ledger-verify.js';
export { VERIFY_STATEMENT_TIMEOUT_MS, verifyLedger } from './ledger-verify.js';
export { listDeposits } from './list-deposits.js';
export type { ListedMessage, MessageSelection } from './list-messages.js';
export { listMessages } from './list-messages.js';
export type { ApiKeyOverview } from './manage-api-keys.js';
export { addApiKey, listApiKeys, revokeApiKey } from './manage-api-keys.js';
export type { OpenWork } from './open-work.js';
export { hasStaleOrders, readOpenWork } from './open-work.js';
export { ledgerTotals, stateCounts } from './operation-reports.js';
export type { OperatorActor } from './operator-actor.js';
export type { ChangeSelection, OperatorChange } from './operator-changes.js';
export { listOperatorChanges, recordOperatorAction } from './operator-changes.js';
export { OperatorError } from './operator-error.js';
export type { OrphanReceipt, ParkedReceipt, Reading } from './parked-receipts.js';
export {
  findNamedSegments,
  listOrphanReceipts,
  listParkedReceipts,
  renameParkedReceipts,
} from './parked-receipts.js';
export { isBehindPooler } from './pooler.js';
export type { ProcessWithoutKeys } from './processes-without-keys.js';
export { lackOf, processesWithoutKeys } from './processes-without-keys.js';
export { ReceiptLanes } from './receipt-lanes.js';
export type { OfferedOrder, StrandedWalk, Sweep, SweepSettings } from './reconcile-orders.js';
export {
  beginWalk,
  purgeExpired,
  releaseDeadWorkers,
  rematchReceipts,
  sweepOrders,
} from './reconcile-orders.js';
export { Replica, type ReplicaLag, replicaLag } from './replica.js';
export type { HeldSelection, Resolution } from './resolve-hold.js';
export { releaseHold, resolveHeldOrders, settleReceiptedOrders } from './resolve-hold.js';
export type { RetainedSlice, RetentionProgress, RetentionSettings } from './retention.js';
export {
  RETENTION_DAYS_MAX,
  ROW_DAYS_MIN,
  readRetention,
  retainNextSlice,
  retentionProgress,
  setRetention,
  TEXT_DAYS_MIN,
} from './retention.js';
export type { Rotation, SecretsStatus } from './rotate-secrets.js';
export { rotateSecrets, secretsStatus, unreadableReason } from './rotate-secrets.js';
export type { OrderPlace } from './route-orders.js';
export {
  carriersWithQueues,
  countUnroutable,
  failUnroutable,
  NO_ROUTE,
  orderPlaces,
  queuedByRoute,
} from './route-orders.js';
export type { RouteChange, RouteSettings, StoredRoute } from './routes.js';
export { addRoute, changeRoute, listRoutes, prefixWord, pricedWithoutRoute, removeRoute } from './routes.js';
export { SecretKeys, SecretUnreadable } from './secret-keys.js';
export type { DemoAccount, DemoSettings } from './seed-demo.js';
export { seedDemo } from './seed-demo.js';
export type { QueuedFate, Suspension } from './suspend-account.js';
export { resumeAccount, suspendAccount } from './suspend-account.js';
export type { TariffOverview } from './tariffs.js';
export {
  findDefaultTariff,
  findTariff,
  listRates,
  listTariffs,
  setDefaultTariff,
} from './tariffs.js';
