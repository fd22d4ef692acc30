import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../read-sql.js';

/** The tables, and the functions of the hot path, each in its own file. */
export class InitialSchema1763600000000 implements MigrationInterface {
  readonly name = 'InitialSchema1763600000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const file of FILES) await runner.query(readSql(file));
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only; restore a backup instead');
  }
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
