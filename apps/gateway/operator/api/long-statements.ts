import { Overloaded } from '#batching';
import { type Config, encryptsTexts, sessionDatabaseUrl } from '#config';
import { Database, type OperatorActor } from '#persistence';

/** Connections for long statements, so that a few curious operators cannot take those of the database. */
const CONNECTIONS_MAX = 4;
const RETRY_AFTER_SECONDS = 5;

/** Runs what may take longer than a statement of the gateway's pool, each on a connection of its own. */
export class LongStatements {
  private running = 0;

  constructor(
    private readonly config: Config,
    private readonly pool: Database,
  ) {}

  /**
   * @param actor recorded with what is changed
   * @throws Overloaded when as many run as may
   */
  async run<Result>(
    actor: OperatorActor,
    statementTimeoutMs: number,
    work: (database: Database) => Promise<Result>,
  ): Promise<Result> {
    if (this.running >= CONNECTIONS_MAX) throw new Overloaded(RETRY_AFTER_SECONDS);
    this.running += 1;
    try {
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
    } finally {
      this.running -= 1;
    }
  }
}
