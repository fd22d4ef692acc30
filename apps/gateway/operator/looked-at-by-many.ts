import type { Config } from '#config';
import { doctor, queueList } from '#operations';
import { type Database, readOverview } from '#persistence';
import type { DispatchQueues } from '#queue';
import type { OperatorService } from './api/endpoint.js';
import type { LongStatements } from './api/long-statements.js';
import { Snapshot } from './snapshot.js';

const OVERVIEW_MS = 4_000;
const DOCTOR_MS = 5_000;
const DOCTOR_STATEMENT_MS = 30_000;
const WAITING_MS = 2_000;

/** What consoles ask for again and again while they are open: one answer for all of them. */
export function lookedAtByMany(
  config: Config,
  database: Database,
  queues: DispatchQueues,
  long: LongStatements,
): Pick<OperatorService, 'overview' | 'doctor' | 'waiting'> {
  const servers = {
    redisUrl: config.REDIS_URL,
    poolerUrl: config.DATABASE_DIRECT_URL && config.DATABASE_URL,
    replicaUrl: config.DATABASE_REPLICA_URL,
    source: 'DATABASE_URL',
    examiner: 'this gateway',
  };
  const examine = () =>
    long.run({ operator: 'this gateway' }, DOCTOR_STATEMENT_MS, (own) => doctor(servers, async () => own));
  return {
    overview: new Snapshot(() => readOverview(database), OVERVIEW_MS),
    doctor: new Snapshot(examine, DOCTOR_MS),
    waiting: new Snapshot(() => queueList(database, (carrier) => queues.depthOf(carrier)), WAITING_MS),
  };
}
