export { type AcceptRequest, acceptMessages, type PricedMessage } from './accept/accept-messages.js';
export type { AcceptVerdict } from './accept/accept-verdict.js';
export type { GuardedRequest } from './accept/guarded-request.js';
export type { AccountFigures } from './accounts/account-reports.js';
export {
  acceptedOrders,
  accountFigures,
  batchFrom,
  figuresOfAccounts,
  findKeyedRequest,
  usedReferences,
} from './accounts/account-reports.js';
export {
  type AccountOverview,
  countLowAccounts,
  createAccount,
  findAccount,
  listAccounts,
} from './accounts/accounts.js';
export { findKeyHolders, isApiKey, type KeyBounds, type KeyHolder } from './accounts/api-keys.js';
export { findBalanceAlert, setBalanceAlert } from './accounts/balance-alert.js';
export { changeAccount, setCreditLimit } from './accounts/change-account.js';
export { closeAccount } from './accounts/close-account.js';
export { createConsoleToken, endConsoleToken } from './accounts/console-tokens.js';
export { batchRecord, findBatch } from './accounts/find-batch.js';
export { findMessage, type MessageRecord, messageRecord, type SegmentState } from './accounts/find-message.js';
export { findOrders, type OrderFilters, type OrderItem } from './accounts/find-orders.js';
export { type KeyManager, KeyRefused } from './accounts/key-manager.js';
export {
  KEY_NAME_LENGTH_MAX,
  KEY_NETWORKS_MAX,
  KEY_SCOPES,
  type KeyScope,
  keyNameProblem,
  keyNetworksProblem,
  keyScopesProblem,
} from './accounts/key-settings.js';
export { type ApiKeyOverview, apiKeysPage, findApiKey, listApiKeys } from './accounts/list-api-keys.js';
export { type ListedMessage, listMessages } from './accounts/list-messages.js';
export { ACTIVE_KEYS_MAX, addApiKey, renameApiKey, revokeApiKey, rotateApiKey } from './accounts/manage-api-keys.js';
export { type NamedAccount, nameAccounts } from './accounts/name-accounts.js';
export { rateLimitAhead } from './accounts/rate-limit-ahead.js';
export { recordKeyUses } from './accounts/record-key-uses.js';
export { isSandbox, ownerOf, sandboxOf } from './accounts/sandbox.js';
export { type DemoAccount, type DemoSettings, seedDemo } from './accounts/seed-demo.js';
export { resumeAccount, type Suspension, suspendAccount } from './accounts/suspend-account.js';
export { type CarrierCost, importCosts, listCosts } from './books/carrier-costs.js';
export { type MarginLine, marginLines } from './books/margin.js';
export {
  addCdrLines,
  type CdrDifference,
  compareReconciliation,
  DIFFERENCE_KINDS,
  listDifferences,
  openReconciliation,
  type ReconciledKind,
  removeReconciliation,
  startReconciliation,
} from './books/reconciliations.js';
export { leaseBinds, releaseBinds } from './carriers/carrier-binds.js';
export { type OpenCarrier, openCarrier } from './carriers/carrier-secrets.js';
export { type CarrierSettings, MESSAGE_ID_FORMATS, type StoredCarrier } from './carriers/carrier-settings.js';
export type { CarrierError, CarrierState } from './carriers/carrier-state.js';
export { carrierState, carriersInSum, lacksQueues, reportedCarriers, workerBinds } from './carriers/carrier-state.js';
export { carrierTestAccount, dueCarrierTests, requestCarrierTest } from './carriers/carrier-tests.js';
export type { CarrierChange } from './carriers/carriers.js';
export {
  addCarrier,
  changeCarrier,
  findCarrier,
  listCarriers,
  removeCarrier,
  setCarrierPaused,
} from './carriers/carriers.js';
export { lackOf, processesWithoutKeys } from './carriers/processes-without-keys.js';
export { replaceRoutes } from './carriers/replace-routes.js';
export { rotateSecrets, type SecretsStatus, secretsStatus } from './carriers/rotate-secrets.js';
export type { RouteSettings, StoredRoute } from './carriers/routes.js';
export { addRoute, changeRoute, listRoutes, prefixWord, pricedWithoutRoute, removeRoute } from './carriers/routes.js';
export { findSandboxCarrier, SANDBOX_CARRIER_ID, SANDBOX_CARRIER_NAME } from './carriers/sandbox-carrier.js';
export { SecretKeys, SecretUnreadable } from './carriers/secret-keys.js';
export { ChangeListener } from './database/changes.js';
export { checkSessions, poolerAdvice } from './database/check-sessions.js';
export { Database, type Queryable } from './database/database.js';
export { failureKind, hasSqlState, isLockTimeout, isPoison, isReadOnly } from './database/database-errors.js';
export { databaseFigures } from './database/database-figures.js';
export { connectFault, DatabaseUnavailable, NotMigrated } from './database/database-unavailable.js';
export { FreshReads } from './database/fresh-reads.js';
export type { LiveProcess, SeenProcess } from './database/heartbeat.js';
export { clockOffsetMs, liveProcesses, PROCESS_ROLES, seenProcesses } from './database/heartbeat.js';
export { KeepHeartbeat } from './database/keep-heartbeat.js';
export { Replica, type ReplicaLag, replicaLag } from './database/replica.js';
export { commitWaitSeconds, takesWrites } from './database/takes-writes.js';
export type { BacklogLane, BacklogRequest, FedOrder } from './dispatch/backlog.js';
export {
  backlogDepths,
  NOT_ROUTED,
  putInBacklog,
  putInBacklogAtLast,
  takeFromBacklog,
  type WaitingScope,
  waitingScopes,
} from './dispatch/backlog.js';
export { CANCEL_ORDERS_MAX, type CanceledOrder, cancelOrders, cancelRange } from './dispatch/cancel-orders.js';
export { claimedText, writeDispatch } from './dispatch/claimed-orders.js';
export { assignConcatenationReferences } from './dispatch/concatenation-references.js';
export type {
  ClaimedOrder,
  DispatchOwner,
  DispatchWrite,
  Intent,
  OrderMove,
  SubmitResult,
  WantedClaim,
} from './dispatch/dispatch-write.js';
export { countUnroutable, failUnroutable, NO_ROUTE, queuedByRoute } from './dispatch/fail-unroutable.js';
export { recordFreeSubmits } from './dispatch/record-free-submits.js';
export { renewLeases } from './dispatch/renew-leases.js';
export { finishOptOuts } from './guards/cancel-opted-out.js';
export { findAccountGuards } from './guards/find-guards.js';
export { findSuppression, listSuppressions, type Suppression, suppressionsPage } from './guards/find-suppressions.js';
export { type NumberHash, numberHash } from './guards/number-hash.js';
export {
  ALL_ACCOUNTS,
  clearGuards,
  findGuards,
  type GuardChange,
  type GuardOverview,
  listGuards,
  setGuards,
} from './guards/set-guards.js';
export { shareVelocity, type VelocityShare } from './guards/share-velocity.js';
export { type GuardSimulation, simulateGuards } from './guards/simulate-guards.js';
export type { Suppressed, SuppressionSource } from './guards/suppress.js';
export { SUPPRESSION_REASON_LENGTH_MAX, SUPPRESSION_SOURCES, suppress } from './guards/suppress.js';
export { unsuppress } from './guards/unsuppress.js';
export { assignInbound } from './inbound/assign-inbound.js';
export { completeInbound } from './inbound/complete-inbound.js';
export type { InboundFilters, InboundItem, InboundKeyword } from './inbound/find-inbound.js';
export { findInbound, INBOUND_KEYWORDS, inboundById } from './inbound/find-inbound.js';
export { type InboundWord, listWords, removeWord, setWord } from './inbound/inbound-words.js';
export { type ListedInbound, listInbound } from './inbound/list-inbound.js';
export { assignNumber, listNumbers, type NumberAssignment, releaseNumber } from './inbound/number-assignments.js';
export type { InboundCarrier, InboundOutcome } from './inbound/store-inbound.js';
export { storeInbound } from './inbound/store-inbound.js';
export { TakeInbound } from './inbound/take-inbound.js';
export type { AccountStatement } from './ledger/account-statement.js';
export { accountStatement } from './ledger/account-statement.js';
export type { BookedDeposit, Booking } from './ledger/deposits.js';
export { adjustBalance, bookDeposit, UnusualAdjustment } from './ledger/deposits.js';
export type { DepositItem, JournalItem } from './ledger/ledger-pages.js';
export { depositsPage, journalPage } from './ledger/ledger-pages.js';
export type { LedgerReport } from './ledger/ledger-verify.js';
export { VERIFY_STATEMENT_TIMEOUT_MS, verifyLedger } from './ledger/ledger-verify.js';
export { listDeposits } from './ledger/list-deposits.js';
export { closingTime, type MonthlyStatement, monthlyStatement, openMonths } from './ledger/monthly-statement.js';
export { ledgerTotals, scheduledCount, stateCounts } from './ledger/operation-reports.js';
export { lastVerification, recordVerification, verifyLedgerIfDue } from './ledger/scheduled-verify.js';
export { setSandboxBalance } from './ledger/set-sandbox-balance.js';
export { changePassword } from './operators/change-password.js';
export { findOperator, listOperators, type OperatorOverview } from './operators/find-operators.js';
export {
  addOperator,
  disableOperator,
  enableOperator,
  type NewPassword,
  removeOperator,
  resetOperator,
  setOperatorRole,
} from './operators/manage-operators.js';
export type { OperatorActor } from './operators/operator-actor.js';
export type { ChangeSelection, OperatorChange } from './operators/operator-changes.js';
export { listOperatorChanges, recordOperatorAction } from './operators/operator-changes.js';
export { OperatorError, type OperatorErrorKind } from './operators/operator-error.js';
export {
  addToken,
  findTokenHolder,
  listTokens,
  type OperatorToken,
  revokeToken,
  TOKEN_DAYS_MAX,
  type TokenHolder,
} from './operators/operator-tokens.js';
export { provePassword, proveSecondFactor, SignInRefused } from './operators/prove-identity.js';
export { OPERATOR_ROLES, type OperatorRole } from './operators/roles.js';
export { beginEnrolment, endEnrolment, removeSecondFactor, renewRecoveryCodes } from './operators/second-factor.js';
export type { OperatorSession } from './operators/sessions.js';
export { confirmSession, continueSession, endSessions, findSessions, listSessions } from './operators/sessions.js';
export { hasAdmin, signIn } from './operators/sign-in.js';
export { type Overview, readOverview } from './overview/overview.js';
export { foldTraffic } from './overview/traffic.js';

export { rematchReceipts } from './receipts/rematch-receipts.js';
export { segmentReference } from './receipts/segment-reference.js';
export { segmentsOfReceipts } from './receipts/segments-of-receipts.js';
export { GATHERED_WRITES, type ReceiptToSettle, SettleReceipts, settleReceipts } from './receipts/settle-receipts.js';
export type { UnmatchedId } from './receipts/unmatched-receipts.js';
export {
  changeUnmatchedIds,
  findNamedSegments,
  listUnmatchedIds,
  listUnmatchedReceipts,
} from './receipts/unmatched-receipts.js';
export type { DispatchHold, HeldOrders } from './recovery/dispatch-hold.js';
export {
  findHold,
  heldCounts,
  listHeldOrders,
  noticeRestoredDatabase,
  setHold,
  warnOfRestore,
} from './recovery/dispatch-hold.js';
export { oldestWaiting, readOpenWork } from './recovery/open-work.js';
export {
  type Deadlines,
  reconcileOrders,
  releaseDeadWorkers,
  requeueAll,
  startScheduled,
} from './recovery/reconcile-orders.js';
export { type Resolution, releaseHold, resolveHeldOrders, settleReceiptedOrders } from './recovery/resolve-hold.js';
export type { AccountRetention } from './retention/account-retention.js';
export { readAccountRetention, setAccountRetention, setOwnRetention } from './retention/account-retention.js';
export { purgeExpired } from './retention/purge-expired.js';
export type { RedactedNumber, RedactOutcome } from './retention/redact.js';
export { redactionBacklog, redactMessage, redactNumber, redactWanted } from './retention/redact.js';
export type { RetentionChange } from './retention/retention.js';
export {
  mayBeDropped,
  readRetention,
  retainNextSlice,
  retentionProgress,
  setRetention,
} from './retention/retention.js';
export { RETENTION_DAYS_MAX, ROW_DAYS_MIN, TEXT_DAYS_MIN } from './retention/retention-days.js';
export { migrateDatabase } from './schema/migrate-database.js';
export { placeFirstTariffs } from './tariffs/default-tariffs.js';
export { type FxRate, listFxRates, setFxRate } from './tariffs/fx-rates.js';
export { type HeldRates, heldRates } from './tariffs/held-rates.js';
export type { TariffDifference, WantedTariff } from './tariffs/import-tariff.js';
export { cancelRates, importTariff, previewTariff } from './tariffs/import-tariff.js';
export type { TariffOverview } from './tariffs/tariffs.js';
export { findTariff, listOwnRates, listRates, listTariffs, setDefaultTariff } from './tariffs/tariffs.js';
export { TextUnreadable } from './texts/text-keys.js';
export { accountUsage, rollUpUsage, type UsageLine } from './usage/account-usage.js';
export { completeBatches } from './webhooks/complete-batches.js';
export { EVENT_DAYS, EVENT_TYPES, type EventType, TEST_EVENT } from './webhooks/event-types.js';
export { type DisabledReason, findEndpoint, listEndpoints, type WebhookEndpoint } from './webhooks/find-endpoints.js';
export {
  type EventCursor,
  type LeasedEndpoint,
  leasedEndpoints,
  releaseEndpoints,
  takeEndpoints,
} from './webhooks/lease-endpoints.js';
export {
  type EventLook,
  endpointsWithoutBatch,
  endpointsWithRepeats,
  lookForEvents,
} from './webhooks/look-for-events.js';
export {
  addEndpoint,
  changeEndpoint,
  disableEndpoint,
  enableEndpoint,
  type Resume,
  removeEndpoint,
  rotateEndpointSecret,
  WEBHOOKS_MAX,
} from './webhooks/manage-endpoints.js';
export {
  dueRetries,
  type EventBatch,
  type EventMessage,
  type EventRead,
  eventMessages,
  findEvents,
  nextReplay,
  readEvents,
  type WebhookRetry,
} from './webhooks/read-events.js';
export {
  type AttemptRecord,
  disableReceiver,
  type EndpointProgress,
  endReplay,
  forgetRetry,
  putOffEvents,
  recordAttempt,
  retryAtOnce,
  saveProgress,
  tidyWebhooks,
} from './webhooks/record-deliveries.js';
export { type EventPlace, eventIdOf, replayEvent, replayRange, sendTestEvent } from './webhooks/replay-events.js';
export type { AttemptFilters, AttemptKind, AttemptOutcome, WebhookAttempt } from './webhooks/webhook-attempts.js';
export { ATTEMPT_OUTCOMES, countAttempts, listAttempts } from './webhooks/webhook-attempts.js';
export { webhookLagSeconds } from './webhooks/webhook-lag.js';
export { WebhookRefused } from './webhooks/webhook-refused.js';
