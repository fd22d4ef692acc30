import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../read-sql.js';

/** Messages that no route is for fail; binds are shared by the workers. */
export class DispatchByRoute1763700400000 implements MigrationInterface {
  readonly name = 'DispatchByRoute1763700400000';

  async up(runner: QueryRunner): Promise<void> {
    for (const file of FILES) await runner.query(readSql(file));
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only; restore a backup instead');
  }
}

const FILES = ['conclude-orders.sql', 'fail-unroutable.sql', 'lease-binds.sql'];
