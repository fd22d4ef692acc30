import { ForwardMigration } from './forward-migration.js';

/** The tables, and the functions of the hot path, each in its own file. */
export class InitialSchema1763600000000 extends ForwardMigration {
  readonly name = 'InitialSchema1763600000000';
  readonly summary = 'the tables of 0.1';
  protected readonly files = FILES;
}

const FILES = [
  'schema/schema.sql',
  'accept/accept-messages.sql',
  'dispatch/claim-orders.sql',
  'dispatch/record-intents.sql',
  'dispatch/assign-concatenation-references.sql',
  'dispatch/conclude-orders.sql',
  'dispatch/record-submits.sql',
  'receipts/settle-receipts.sql',
  'recovery/sweep-orders.sql',
  'accounts/list-pages.sql',
];
