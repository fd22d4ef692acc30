import { type Database, Replica, replicaLag } from '#persistence';
import type { Finding, ServersInUse } from './finding.js';

const LAG_WARN_SECONDS = 10;

/** Whether reads can use the replica. If not, the database itself answers them, so this is never a failure. */
export async function examineReplica({ replicaUrl }: ServersInUse, database: Database): Promise<Finding[]> {
  if (replicaUrl === undefined) return [];
  const replica = new Replica({ url: replicaUrl, poolSize: 1, applicationName: 'smsctl', texts: database.texts });
  try {
    const { bytes, seconds } = await replicaLag(database, replica);
    const lag = bytes === 0 ? 'in step' : `${bytes} bytes and ${seconds.toFixed(1)} s behind`;
    return [{ check: 'replica', state: seconds >= LAG_WARN_SECONDS ? 'warn' : 'ok', detail: lag }];
  } catch (error) {
    const reason = error instanceof Error ? error.message || error.name : String(error);
    return [{ check: 'replica', state: 'warn', detail: `not read from (DATABASE_REPLICA_URL): ${reason}` }];
  } finally {
    await replica.close();
  }
}
