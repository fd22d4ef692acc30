import { ForwardMigration } from './forward-migration.js';

/** Messages that no route is for fail; binds are shared by the workers. */
export class DispatchByRoute1763700400000 extends ForwardMigration {
  readonly name = 'DispatchByRoute1763700400000';
  readonly summary = 'messages that no route serves fail at once';
  protected readonly files = FILES;
}

const FILES = ['dispatch/conclude-orders.sql', 'dispatch/fail-unroutable.sql', 'carriers/lease-binds.sql'];
