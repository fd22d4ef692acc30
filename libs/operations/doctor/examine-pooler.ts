import { Database, poolerAdvice } from '#persistence';
import type { Finding, ServersInUse } from './finding.js';

/** What gateways and workers go through, if the examining process goes around it to the server itself. */
export async function examinePooler({ poolerUrl }: ServersInUse): Promise<Finding[]> {
  if (poolerUrl === undefined) return [];
  const check = 'database of processes';
  let database: Database | undefined;
  try {
    database = await Database.openSingle({ url: poolerUrl, applicationName: 'smsctl' });
    const advice = await poolerAdvice(database);
    return [{ check, state: advice === undefined ? 'ok' : 'warn', detail: advice ?? 'answers (DATABASE_URL)' }];
  } catch (error) {
    return [{ check, state: 'fail', detail: error instanceof Error ? error.message : String(error) }];
  } finally {
    await database?.close().catch(() => undefined);
  }
}
