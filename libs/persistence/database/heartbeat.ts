import type { Queryable } from './database.js';

export const PROCESS_ROLES = ['gateway', 'worker', 'webhooks'] as const;
export type ProcessRole = (typeof PROCESS_ROLES)[number];

/** What a process says of itself. */
export interface Heartbeat {
  readonly processId: string;
  readonly role: ProcessRole;
  /** E.g. the state of each bind. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** A process as the others see it. */
export type LiveProcess = Heartbeat;

/** A process that said so within this time is alive. */
export const ALIVE_WITHIN_SECONDS = 10;

/**
 * Returns how far this machine's clock is from the database's, as `clockOffsetMs()` does.
 *
 * Of another process a time that is yet to come was written before the database's clock was set back. It becomes now:
 * a process that had died by then would count as alive until that time.
 */
export function recordHeartbeat(database: Queryable, heartbeat: Heartbeat): Promise<number> {
  return offsetOf(
    database,
    `with to_come as (
       update process_heartbeat set seen_at = now() where process_id in (
         select process_id from process_heartbeat
          where process_id <> $1 and seen_at > now() + interval '1 second' for update skip locked)
     )
     insert into process_heartbeat (process_id, role, details) values ($1, $2, $3::jsonb)
     on conflict (process_id) do update set seen_at = now(), details = excluded.details
     returning (extract(epoch from clock_timestamp()) * 1000)::bigint as now_ms`,
    [heartbeat.processId, heartbeat.role, JSON.stringify(heartbeat.details)],
  );
}

/** Says that a process has ended of its own will. */
export async function removeHeartbeat(database: Queryable, processId: string): Promise<void> {
  await database.query('delete from process_heartbeat where process_id = $1', [processId]);
}

/** The processes of a role that are alive. */
export function liveProcesses(database: Queryable, role: ProcessRole): Promise<LiveProcess[]> {
  return database.query<LiveProcess>(
    `select process_id as "processId", role, details from process_heartbeat
      where role = $1 and seen_at > now() - make_interval(secs => $2) order by process_id`,
    [role, ALIVE_WITHIN_SECONDS],
  );
}

/** A process that reported in the last ten minutes, alive or not. */
export interface SeenProcess extends LiveProcess {
  readonly isAlive: boolean;
  readonly silentSeconds: number;
  /** How far its clock is from the database's at least; undefined when it does not tell. */
  readonly clockOffsetMs: number | undefined;
}

/** Every process that has not stopped in order. */
export async function seenProcesses(database: Queryable): Promise<SeenProcess[]> {
  const rows = await database.query<SeenProcess & { readonly clockOffsetMs: number | null }>(
    `select process_id as "processId", role, details,
            seen_at > now() - make_interval(secs => $1) as "isAlive",
            extract(epoch from now() - seen_at)::float8 as "silentSeconds",
            (details->>'clockOffsetMs')::float8 as "clockOffsetMs"
       from process_heartbeat where seen_at > now() - interval '10 minutes' order by process_id`,
    [ALIVE_WITHIN_SECONDS],
  );
  return rows.map((row) => ({ ...row, clockOffsetMs: row.clockOffsetMs ?? undefined }));
}

/**
 * How far this machine's clock is from the database's at least, in milliseconds; positive when ours is ahead. The
 * database read its clock somewhen between the question and the answer, which may be seconds on a busy machine.
 */
export function clockOffsetMs(database: Queryable): Promise<number> {
  return offsetOf(database, 'select (extract(epoch from clock_timestamp()) * 1000)::bigint as now_ms');
}

/** @param question is answered with the time of the database, as `now_ms` */
async function offsetOf(database: Queryable, question: string, values?: readonly unknown[]): Promise<number> {
  const before = Date.now();
  const [row] = await database.query<{ now_ms: string }>(question, values);
  const there = Number(row?.now_ms ?? 0);
  return Math.max(before - there, Math.min(Date.now() - there, 0));
}
