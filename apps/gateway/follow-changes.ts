import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type Config, sessionDatabaseUrl } from '#config';
import { ChangeListener } from '#persistence';
import { CarrierDirectory } from './carriers/carrier-directory.js';
import { ApiKeys } from './http/api-keys.js';
import { CONFIG } from './injected.js';
import { OpenCarriers } from './messages/open-carriers.js';
import { SendRules } from './messages/send-rules.js';

/** Drops data from memory that an operator has changed, as soon as the database notifies the gateway. */
@Injectable()
export class FollowChanges implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly changes: ChangeListener;

  constructor(
    @Inject(CONFIG) config: Config,
    keys: ApiKeys,
    rules: SendRules,
    carriers: CarrierDirectory,
    open: OpenCarriers,
  ) {
    this.changes = new ChangeListener(sessionDatabaseUrl(config), (thing, accountId) => {
      if (thing === 'keys') {
        keys.forget(accountId);
        return;
      }
      if (thing !== 'tariffs') keys.forget();
      if (thing !== 'accounts') rules.forgetTariffs();
      if (thing === 'carriers' || thing === 'unknown') {
        carriers.forget();
        rules.routes.forget();
      }
      if (thing === 'carriers') open.forget();
    });
  }

  onApplicationBootstrap(): void {
    this.changes.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.changes.close();
  }
}
