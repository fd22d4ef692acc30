import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import type { Config } from '#config';
import { Database, FreshReads, segmentsOfReceipts } from '#persistence';
import { DispatchQueuesModule } from '#queue';
import { type Logger, MessageTraces, ReceiptTraces } from '#telemetry';
import { AccountController } from './account/account.controller.js';
import { AccountReports } from './account/account-reports.js';
import { AccountStatements } from './account/account-statements.js';
import { BalanceAlertController } from './account/balance-alert.controller.js';
import { ExportRows } from './account/export-rows.js';
import { ExportsController } from './account/exports.controller.js';
import { ReplicaReads } from './account/follow-replica.js';
import { ManageBalanceAlert } from './account/manage-balance-alert.js';
import { ReadTurns } from './account/read-turns.js';
import { StatementsController } from './account/statements.controller.js';
import { CarrierDirectory } from './carriers/carrier-directory.js';
import { TakeCallback } from './carriers/take-callback.js';
import { ConsoleTokensController } from './console/console-tokens.controller.js';
import { ManageConsoleTokens } from './console/manage-console-tokens.js';
import { FollowChanges } from './follow-changes.js';
import { GuardSends } from './guards/guard-sends.js';
import { ManageSuppressions } from './guards/manage-suppressions.js';
import { SuppressionsController } from './guards/suppressions.controller.js';
import { VelocityCounts } from './guards/velocity-counts.js';
import { HealthController } from './health/health.controller.js';
import { AccessLog } from './http/access-log.js';
import { ApiKeys } from './http/api-keys.js';
import { Draining } from './http/draining.js';
import { PollPace } from './http/poll-pace.js';
import { PrepareHttp } from './http/prepare-http.js';
import { ProblemFilter } from './http/problem.filter.js';
import { RateStandings } from './http/rate-standings.js';
import { RecordKeyUse } from './http/record-key-use.js';
import { ValidationPipe } from './http/validation.pipe.js';
import { InboundController } from './inbound/inbound.controller.js';
import { ListInbound } from './inbound/list-inbound.js';
import { CONFIG, LOG } from './injected.js';
import { KeysController } from './keys/keys.controller.js';
import { ManageKeys } from './keys/manage-keys.js';
import { AcceptDrafts } from './messages/accept-drafts.js';
import { AcceptedController } from './messages/accepted.controller.js';
import { CancelMessages } from './messages/cancel-messages.js';
import { EnqueueOrders } from './messages/enqueue-orders.js';
import { GroupCommit } from './messages/group-commit.js';
import { MessagesController } from './messages/messages.controller.js';
import { OpenCarriers } from './messages/open-carriers.js';
import { QueueOutages } from './messages/queue-outages.js';
import { QuoteController } from './messages/quote.controller.js';
import { QuoteDrafts } from './messages/quote-drafts.js';
import { RefuseSend } from './messages/refuse-send.js';
import { SendBatchController } from './messages/send-batch.controller.js';
import { SendRules } from './messages/send-rules.js';
import { ShowBatch } from './messages/show-batch.js';
import { ShowMessage } from './messages/show-message.js';
import { GatewayMetrics } from './operator/gateway-metrics.js';
import { OperatorListener } from './operator/operator-listener.js';
import { ManagePrivacy } from './privacy/manage-privacy.js';
import { PrivacyController } from './privacy/privacy.controller.js';
import { ReportAlive } from './report-alive.js';
import { SandboxController } from './sandbox/sandbox.controller.js';
import { SetTestBalance } from './sandbox/set-test-balance.js';
import { ManageWebhooks } from './webhooks/manage-webhooks.js';
import { WebhooksController } from './webhooks/webhooks.controller.js';

/** The gateway. Settings, log and database come from outside: they are there before it, and outlive it. */
@Module({
  controllers: [
    MessagesController,
    SendBatchController,
    QuoteController,
    AcceptedController,
    InboundController,
    AccountController,
    ExportsController,
    StatementsController,
    KeysController,
    WebhooksController,
    ConsoleTokensController,
    SandboxController,
    BalanceAlertController,
    SuppressionsController,
    PrivacyController,
    HealthController,
  ],
  providers: [
    { provide: APP_PIPE, useClass: ValidationPipe },
    ProblemFilter,
    { provide: APP_FILTER, useExisting: ProblemFilter },
    PrepareHttp,
    PollPace,
    ApiKeys,
    RecordKeyUse,
    RateStandings,
    ManageKeys,
    ManageConsoleTokens,
    ManageWebhooks,
    SetTestBalance,
    ManageBalanceAlert,
    AccessLog,
    Draining,
    GatewayMetrics,
    SendRules,
    CarrierDirectory,
    TakeCallback,
    AcceptDrafts,
    RefuseSend,
    GuardSends,
    VelocityCounts,
    ManageSuppressions,
    ManagePrivacy,
    GroupCommit,
    EnqueueOrders,
    QueueOutages,
    OpenCarriers,
    QuoteDrafts,
    ShowBatch,
    ShowMessage,
    CancelMessages,
    ListInbound,
    ReadTurns,
    AccountReports,
    AccountStatements,
    ExportRows,
    { provide: FreshReads, useClass: ReplicaReads },
    FollowChanges,
    OperatorListener,
    ReportAlive,
  ],
})
export class GatewayModule {
  static with(config: Config, database: Database, log: Logger, traces: MessageTraces): DynamicModule {
    return {
      module: GatewayModule,
      imports: [DispatchQueuesModule.with(config)],
      providers: [
        { provide: CONFIG, useValue: config },
        { provide: LOG, useValue: log },
        { provide: Database, useValue: database },
        { provide: MessageTraces, useValue: traces },
        {
          provide: ReceiptTraces,
          useValue: new ReceiptTraces(traces, (...of) => segmentsOfReceipts(database, ...of), log),
        },
      ],
    };
  }
}
