import { Overloaded } from '#batching';
import { type Config, encryptsTexts, sessionDatabaseUrl } from '#config';
import { Database, type OperatorActor } from '#persistence';

/** Connections for long statements, so that a few curious operators cannot take those of the database. */
const CONNECTIONS_MAX = 4;
/** Most of these statements take less than a second, so a page that asks as the fifth waits for its turn. */
const WAITING_MAX = 32;
const WAIT_MAX_MS = 3_000;
const RETRY_AFTER_SECONDS = 5;

/** Runs what may take longer than a statement of the gateway's pool, each on a connection of its own. */
export class LongStatements {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly config: Config,
    private readonly pool: Database,
  ) {}

  /**
   * @param actor recorded with what is changed
   * @throws Overloaded when as many run and wait as may, or its turn has not come for three seconds
   */
  async run<Result>(
    actor: OperatorActor,
    statementTimeoutMs: number,
    work: (database: Database) => Promise<Result>,
  ): Promise<Result> {
    await this.turn();
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
      this.handOn();
    }
  }

  private async turn(): Promise<void> {
    if (this.running < CONNECTIONS_MAX) {
      this.running += 1;
      return;
    }
    if (this.waiting.length >= WAITING_MAX) throw new Overloaded(RETRY_AFTER_SECONDS);
    await new Promise<void>((resolve, reject) => {
      const go = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(go), 1);
        reject(new Overloaded(RETRY_AFTER_SECONDS));
      }, WAIT_MAX_MS);
      this.waiting.push(go);
    });
  }

  /** To whom has waited longest. */
  private handOn(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.running -= 1;
    else next();
  }
}
