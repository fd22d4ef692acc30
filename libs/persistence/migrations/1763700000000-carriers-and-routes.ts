import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../read-sql.js';

/** Protocols and options of carriers, routes, shared binds, senders of accounts; submits in doubt that were made again. */
export class CarriersAndRoutes1763700000000 implements MigrationInterface {
  readonly name = 'CarriersAndRoutes1763700000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const file of FILES) await runner.query(readSql(file));
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only; restore a backup instead');
  }
}

const FILES = [
  'carriers-and-routes.sql',
  'claim-orders.sql',
  'record-intents.sql',
  'conclude-orders.sql',
  'record-submits.sql',
  'settle-receipts.sql',
  'sweep-orders.sql',
];
