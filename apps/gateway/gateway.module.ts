import { type DynamicModule, Module } from '@nestjs/common';
import type { Config } from '#config';
import { Database, FreshReads } from '#persistence';
import { DispatchQueue, DispatchQueueModule } from '#queue';
import type { Logger } from '#telemetry';
import { AccountController } from './account/account.controller.js';
import { AccountReports } from './account/account-reports.js';
import { CarrierDirectory } from './carriers/carrier-directory.js';
import { SettleCallbacks } from './carriers/settle-callbacks.js';
import { TakeCallback } from './carriers/take-callback.js';
import { HealthController } from './health/health.controller.js';
import { ApiKeys } from './http/api-keys.js';
import { Draining } from './http/draining.js';
import { AcceptDrafts } from './messages/accept-drafts.js';
import { AnnounceOrders } from './messages/announce-orders.js';
import { GroupCommit } from './messages/group-commit.js';
import { MessagesController } from './messages/messages.controller.js';
import { QuoteDrafts } from './messages/quote-drafts.js';
import { GatewayMetrics } from './operator/gateway-metrics.js';
import { RouteBook } from './routes/route-book.js';
import { TariffBook } from './tariffs/tariff-book.js';

/** Composition root: every part of the gateway, listed by hand. */
@Module({})
export class GatewayModule {
  static with(
    config: Config,
    database: Database,
    reads: FreshReads,
    metrics: GatewayMetrics,
    log: Logger,
  ): DynamicModule {
    const carriers = new CarrierDirectory(database);
    const receipts = new SettleCallbacks(database, config, metrics);
    return {
      module: GatewayModule,
      imports: [DispatchQueueModule.with(config)],
      controllers: [MessagesController, AccountController, HealthController],
      providers: [
        { provide: Database, useValue: database },
        { provide: FreshReads, useValue: reads },
        { provide: GatewayMetrics, useValue: metrics },
        { provide: ApiKeys, useValue: new ApiKeys(database) },
        { provide: TariffBook, useValue: new TariffBook(database) },
        { provide: RouteBook, useValue: new RouteBook(database) },
        { provide: CarrierDirectory, useValue: carriers },
        { provide: TakeCallback, useValue: new TakeCallback(carriers, receipts, metrics, log) },
        {
          provide: GroupCommit,
          inject: [AnnounceOrders],
          useFactory: (announcer: AnnounceOrders) =>
            new GroupCommit(database, config, metrics, (groups) => announcer.announce(groups)),
        },
        {
          provide: AnnounceOrders,
          inject: [DispatchQueue],
          useFactory: (queue: DispatchQueue) => new AnnounceOrders(queue, log, metrics),
        },
        Draining,
        AcceptDrafts,
        QuoteDrafts,
        AccountReports,
      ],
    };
  }
}
