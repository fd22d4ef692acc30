import { ForwardMigration } from './forward-migration.js';

/** Protocols and options of carriers, routes, shared binds, senders of accounts; submits in doubt that were made again. */
export class CarriersAndRoutes1763700000000 extends ForwardMigration {
  readonly name = 'CarriersAndRoutes1763700000000';
  readonly summary = 'carriers by HTTP, routes, shared binds and senders of accounts';
  protected readonly files = FILES;
}

const FILES = [
  'schema/carriers-and-routes.sql',
  'dispatch/claim-orders.sql',
  'dispatch/record-intents.sql',
  'dispatch/conclude-orders.sql',
  'dispatch/record-submits.sql',
  'receipts/settle-receipts.sql',
  'recovery/sweep-orders.sql',
];
