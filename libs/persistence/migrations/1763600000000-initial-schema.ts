import { ForwardMigration } from './forward-migration.js';

/** The tables, and the functions of the hot path, each in its own file. */
export class InitialSchema1763600000000 extends ForwardMigration {
  readonly name = 'InitialSchema1763600000000';
  readonly summary = 'the tables of 0.1';
  protected readonly files = FILES;
}

const FILES = [
  'schema.sql',
  'accept-messages.sql',
  'claim-orders.sql',
  'record-intents.sql',
  'assign-concatenation-references.sql',
  'conclude-orders.sql',
  'record-submits.sql',
  'settle-receipts.sql',
  'sweep-orders.sql',
  'list-pages.sql',
];
