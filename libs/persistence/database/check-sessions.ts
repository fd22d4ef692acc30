import type { Config } from '#config/light';
import type { Database } from './database.js';
import { poolerInBetween, unreachable } from './database-unavailable.js';
import { isBehindPooler } from './pooler.js';

/**
 * What a process looks at before it works behind a connection pooler.
 *
 * @param isQueueHere whether the queue is in PostgreSQL, which listens and so needs sessions of its own
 * @param warn is told in one line what should be set
 * @throws DatabaseUnavailable in one line when the service cannot work like this
 */
export async function checkSessions(
  config: Config,
  database: Database,
  isQueueHere: boolean,
  warn: (advice: string) => void,
): Promise<void> {
  const direct = config.DATABASE_DIRECT_URL;
  const isPooled =
    direct === undefined
      ? database.isPooled
      : await isBehindPooler(direct).catch((error: unknown) => {
          throw unreachable(direct, 'DATABASE_DIRECT_URL', error);
        });
  if (isPooled && isQueueHere)
    throw poolerInBetween('a queue in PostgreSQL needs sessions of its own (or set REDIS_URL)');
  if (isPooled) warn('nobody can listen behind a connection pooler: changes by smsctl take effect within 2 s');
  const advice = await poolerAdvice(database);
  if (advice !== undefined) warn(advice);
}

/** Behind a pooler only the role can bound statements on the server; what to do when it does not. */
export async function poolerAdvice(database: Database): Promise<string | undefined> {
  if (!database.isPooled) return undefined;
  const [row] = await database.query<{ statement: string; name: string }>(
    `select current_setting('statement_timeout') as statement, current_user as name`,
  );
  if (row?.statement !== '0') return undefined;
  return (
    `behind a connection pooler statements have no bound on the server: alter role "${row.name}" set statement_timeout = '5s'; ` +
    `the same for lock_timeout, and idle_in_transaction_session_timeout = '10s'`
  );
}
