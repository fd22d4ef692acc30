import { SecretKeys, SecretUnreadable } from '../carriers/secret-keys.js';
import type { OperatorActor } from '../operators/operator-actor.js';
import { isSchemaCurrent } from '../schema/is-current.js';
import { TextKeys } from '../texts/text-keys.js';
import { actingSource } from './acting-source.js';
import { openPool, type PoolOptions } from './connection-pool.js';
import { DatabaseUnavailable, NotMigrated, unreachable } from './database-unavailable.js';
import { connectSingle } from './single-connection.js';
import type { StatementRunner, StatementSource } from './statement-source.js';

/** What runs a statement: the pool, or one transaction. Always the first argument of what touches the database. */
export interface Queryable {
  query<Row = Record<string, unknown>>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
  /** What stored texts of messages are read with. */
  readonly texts: TextKeys;
}

interface DatabaseOptions extends PoolOptions {
  /** What secrets in the database are encrypted with; left out: none can be written, nor read if it is encrypted. */
  readonly secretKeys?: SecretKeys;
  /** Texts of messages are stored encrypted; needs `secretKeys`. With `openSingle` from `texts.ready` on. */
  readonly encryptsTexts?: boolean;
  /** The setting that has the URL, for people; DATABASE_URL unless given. */
  readonly setting?: string;
}

const NO_KEYS = new SecretKeys();

/** The pool of one process. Every wait on it has a bound, so that a stuck server shows as an error, not as silence. */
export class Database implements Queryable {
  private constructor(
    private readonly source: StatementSource,
    /** Whether a connection pooler stands before it: nothing of a session lasts longer than a transaction. */
    readonly isPooled: boolean,
    readonly secretKeys: SecretKeys,
    /** Who is recorded with what is changed through it, if that is said. */
    readonly actor?: OperatorActor,
    readonly texts: TextKeys = new TextKeys(secretKeys),
  ) {}

  /**
   * Connects and checks that the schema is the one this code was built for.
   *
   * @throws DatabaseUnavailable in one line, without the password
   */
  static async open(options: DatabaseOptions): Promise<Database> {
    const setting = options.setting ?? 'DATABASE_URL';
    const refuse = (error: unknown) =>
      error instanceof DatabaseUnavailable ? error : unreachable(options.url, setting, error);
    const source = await openPool(options).catch((error: unknown) => {
      throw refuse(error);
    });
    try {
      if (!(await isSchemaCurrent(source))) throw new NotMigrated(options.url);
    } catch (error) {
      await source.destroy().catch(() => undefined);
      throw refuse(error);
    }
    const database = new Database(source, source.isPooled, options.secretKeys ?? NO_KEYS);
    if (options.encryptsTexts === true) database.texts.encryptWith(database);
    try {
      await database.texts.ready(database);
    } catch (error) {
      await database.close().catch(() => undefined);
      if (!(error instanceof SecretUnreadable)) throw refuse(error);
      throw new DatabaseUnavailable(`the texts of messages cannot be encrypted (TEXTS_AT_REST): ${error.message}`);
    }
    return database;
  }

  /**
   * The same on one connection, for a command that runs one statement after another.
   *
   * @throws DatabaseUnavailable in one line, without the password
   */
  static async openSingle(
    options: Omit<DatabaseOptions, 'poolSize'> & { readonly actor?: OperatorActor },
  ): Promise<Database> {
    const cannotReach = (error: unknown) => unreachable(options.url, options.setting ?? 'DATABASE_URL', error);
    const source = await connectSingle(options).catch((error: unknown) => {
      throw cannotReach(error);
    });
    const database = new Database(source, source.isPooled, options.secretKeys ?? NO_KEYS, options.actor);
    const isCurrent = await isSchemaCurrent(source).catch(async (error: unknown) => {
      await database.close();
      throw cannotReach(error);
    });
    if (!isCurrent) {
      await database.close();
      throw new NotMigrated(options.url);
    }
    if (options.encryptsTexts === true) database.texts.encryptWith(database);
    return database;
  }

  async query<Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return rowsOf<Row>(await this.source.query(sql, [...parameters]));
  }

  /** Runs `work` in one transaction; an exception rolls it back. */
  transaction<Result>(work: (transaction: Queryable) => Promise<Result>): Promise<Result> {
    return this.source.transaction((manager) => work(new Transaction(manager, this.texts)));
  }

  /** The same database; what is changed through it is recorded as a change by this person (`operator-changes.sql`). */
  actingAs(actor: OperatorActor): Database {
    return new Database(actingSource(this.source, actor), this.isPooled, this.secretKeys, actor, this.texts);
  }

  async close(): Promise<void> {
    await this.source.destroy();
  }
}

class Transaction implements Queryable {
  constructor(
    private readonly manager: StatementRunner,
    readonly texts: TextKeys,
  ) {}

  async query<Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return rowsOf<Row>(await this.manager.query(sql, [...parameters]));
  }
}

function rowsOf<Row>(result: unknown): Row[] {
  return Array.isArray(result) ? (result as Row[]) : [];
}
