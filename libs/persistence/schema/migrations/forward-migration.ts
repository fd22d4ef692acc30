import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../read-sql.js';

/** A migration that runs its own statements, then files of functions as they are now. */
export abstract class ForwardMigration implements MigrationInterface {
  abstract readonly name: string;
  /** What it brings, in half a sentence for operators; printed when it has run on a database of a version before. */
  abstract readonly summary: string;
  /** Changes of tables. */
  protected readonly statements: string | undefined = undefined;
  /** Paths in libs/persistence, run in this order. */
  protected abstract readonly files: readonly string[];

  async up(runner: QueryRunner): Promise<void> {
    if (this.statements !== undefined) await runner.query(this.statements);
    for (const file of this.files) await runner.query(readSql(file));
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only; restore a backup instead');
  }
}
