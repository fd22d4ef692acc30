import { ConcurrencyLimit } from '#batching';
import { type Config, encryptsTexts, sessionDatabaseUrl } from '#config';
import { Database, type OperatorActor } from '#persistence';

/**
 * Each has a connection, and a few curious operators must not take those of the database. Most of these statements take
 * less than a second, so a page that asks as the fifth waits for its turn.
 */
const BOUNDS = { atOnceMax: 4, waitingMax: 32, waitMaxMs: 3_000, retryAfterSeconds: 5 };

/** Runs what may take longer than a statement of the gateway's pool, each on a connection of its own. */
export class LongStatements {
  private readonly limit = new ConcurrencyLimit(BOUNDS);

  constructor(
    private readonly config: Config,
    private readonly pool: Database,
  ) {}

  /**
   * @param actor recorded with what is changed
   * @throws Overloaded when as many run and wait as may, or its turn has not come for three seconds
   */
  run<Result>(
    actor: OperatorActor,
    statementTimeoutMs: number,
    work: (database: Database) => Promise<Result>,
  ): Promise<Result> {
    return this.limit.run(async () => {
      const database = await Database.openSingle({
        url: sessionDatabaseUrl(this.config),
        applicationName: 'heliograph-gateway',
        secretKeys: this.pool.secretKeys,
        encryptsTexts: encryptsTexts(this.config),
        actor,
        statementTimeoutMs,
      });
      try {
        return await work(database);
      } finally {
        await database.close();
      }
    });
  }
}
