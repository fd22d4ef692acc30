import type { Queryable } from './database.js';

export type ProcessRole = 'gateway' | 'worker';

/** What a process says of itself. */
export interface Heartbeat {
  readonly processId: string;
  readonly role: ProcessRole;
  /** E.g. the state of each bind. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Its metrics as JSON, for whoever scrapes a gateway. */
  readonly metrics: readonly unknown[];
}

/** A process as the others see it. */
export type LiveProcess = Omit<Heartbeat, 'metrics'>;

/** A process that said so within this time is alive. */
export const ALIVE_WITHIN_SECONDS = 10;

export async function recordHeartbeat(database: Queryable, heartbeat: Heartbeat): Promise<void> {
  await database.query(
    `insert into process_heartbeat (process_id, role, details, metrics) values ($1, $2, $3::jsonb, $4::jsonb)
     on conflict (process_id) do update set seen_at = now(), details = excluded.details, metrics = excluded.metrics`,
    [heartbeat.processId, heartbeat.role, JSON.stringify(heartbeat.details), JSON.stringify(heartbeat.metrics)],
  );
}

/** Says that a process has ended of its own will. */
export async function removeHeartbeat(database: Queryable, processId: string): Promise<void> {
  await database.query('delete from process_heartbeat where process_id = $1', [processId]);
}

/** The processes of a role that are alive, without their metrics, which are long. */
export function liveProcesses(database: Queryable, role: ProcessRole): Promise<LiveProcess[]> {
  return ofTheLiving(database, role, 'process_id as "processId", role, details');
}

/** What those of them that are alive have left for whoever scrapes a gateway. */
export async function liveMetrics(database: Queryable, role: ProcessRole): Promise<Heartbeat['metrics'][]> {
  const rows = await ofTheLiving<Pick<Heartbeat, 'metrics'>>(database, role, 'metrics');
  return rows.map(({ metrics }) => metrics);
}

function ofTheLiving<Row>(database: Queryable, role: ProcessRole, columns: string): Promise<Row[]> {
  return database.query<Row>(
    `select ${columns} from process_heartbeat
      where role = $1 and seen_at > now() - make_interval(secs => $2) order by process_id`,
    [role, ALIVE_WITHIN_SECONDS],
  );
}

/** How far this machine's clock is from the database's, in milliseconds; positive when ours is ahead. */
export async function clockOffsetMs(database: Queryable): Promise<number> {
  const before = Date.now();
  const [row] = await database.query<{ now_ms: string }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::bigint as now_ms',
  );
  const after = Date.now();
  return (before + after) / 2 - Number(row?.now_ms ?? 0);
}
