import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type Config, sessionDatabaseUrl } from '#config';
import { ChangeListener } from '#persistence';
import { FollowCarriers } from './carriers/follow-carriers.js';
import { Feeder } from './dispatch/feeder.js';
import { CONFIG } from './injected.js';

/** Acts on what an operator has changed, as soon as the database notifies the worker. */
@Injectable()
export class FollowChanges implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly changes: ChangeListener;

  constructor(@Inject(CONFIG) config: Config, carriers: FollowCarriers, feeder: Feeder) {
    this.changes = new ChangeListener(sessionDatabaseUrl(config), (thing) => {
      if (thing === 'carriers' || thing === 'unknown') void carriers.read();
      if (thing === 'accounts' || thing === 'unknown') feeder.wake();
    });
  }

  onApplicationBootstrap(): void {
    this.changes.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.changes.close();
  }
}
