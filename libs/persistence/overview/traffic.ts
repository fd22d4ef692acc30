import type { Queryable } from '../database/database.js';

/** What happened to messages in an hour. A message counts where it changed: delivered now, maybe accepted before. */
export interface TrafficCounts {
  readonly accepted: number;
  /** Handed to a carrier that took them. */
  readonly sent: number;
  readonly delivered: number;
  readonly undelivered: number;
  readonly failed: number;
  readonly canceled: number;
  readonly unknown: number;
}

/** The last hour, and the same hour a week before. */
export interface TrafficHours {
  readonly lastHour: TrafficCounts;
  readonly weekBefore: TrafficCounts;
}

export interface TrafficStep extends TrafficCounts {
  readonly startedAt: Date;
}

export interface Traffic extends TrafficHours {
  /** Five minutes each, oldest first; the last one is running. */
  readonly steps: readonly TrafficStep[];
  readonly stepsOfWeekBefore: readonly TrafficStep[];
  readonly byAccount: ReadonlyMap<string, TrafficHours>;
  readonly byCarrier: ReadonlyMap<number, TrafficHours>;
  /** Whether the service was counting a week before. */
  readonly isWeekKnown: boolean;
}

/** Why messages did not reach their recipients in the last hour. */
export interface TrafficReason {
  /** 0: they had no carrier. */
  readonly carrierId: number;
  readonly event: 'undelivered' | 'failed' | 'unknown';
  readonly code: string;
  readonly messages: number;
}

export const NO_TRAFFIC: TrafficCounts = {
  accepted: 0,
  sent: 0,
  delivered: 0,
  undelivered: 0,
  failed: 0,
  canceled: 0,
  unknown: 0,
};

const STEP_MS = 300_000;
const STEPS = 12;
const WEEK_MS = 7 * 86_400_000;
const REASONS_MAX = 200;

interface Line {
  readonly is_now: boolean;
  readonly started_at: Date | null;
  readonly account_id: string | null;
  readonly carrier_id: number | null;
  readonly event: string;
  readonly messages: string;
}

/** Counts what has happened since the last time. Returns the rows that it has folded, at most `rowsMax`. */
export async function foldTraffic(database: Queryable, rowsMax: number): Promise<number> {
  const [row] = await database.query<{ n: number }>('select fold_traffic($1) as n', [rowsMax]);
  return row?.n ?? 0;
}

export async function readTraffic(database: Queryable): Promise<Traffic> {
  const [clock] = await database.query<{ running: Date; is_week_known: boolean }>(
    `select traffic_step_of(now()) as running,
            exists (select from traffic_step where started_at <= now() - interval '7 days') as is_week_known`,
  );
  const running = clock?.running ?? new Date();
  const lines = await database.query<Line>('select * from read_traffic()');
  const steps = lines.filter(({ started_at }) => started_at !== null);
  return {
    ...hoursOf(steps),
    steps: stepsUntil(running, steps),
    stepsOfWeekBefore: stepsUntil(new Date(running.getTime() - WEEK_MS), steps),
    byAccount: hoursBy(lines, ({ account_id }) => account_id),
    byCarrier: hoursBy(lines, ({ carrier_id }) => carrier_id),
    isWeekKnown: clock?.is_week_known ?? false,
  };
}

/** The most frequent first. */
export async function listTrafficReasons(database: Queryable): Promise<TrafficReason[]> {
  const rows = await database.query<Omit<TrafficReason, 'messages'> & { messages: string }>(
    `select carrier_id as "carrierId", event, code, sum(messages) as messages from traffic_reason
      where started_at > traffic_step_of(now()) - interval '1 hour'
      group by 1, 2, 3 order by sum(messages) desc, 1, 2, 3 limit $1`,
    [REASONS_MAX],
  );
  return rows.map((row) => ({ ...row, messages: Number(row.messages) }));
}

function stepsUntil(last: Date, lines: readonly Line[]): TrafficStep[] {
  return Array.from({ length: STEPS }, (_, index) => {
    const startedAt = new Date(last.getTime() - (STEPS - 1 - index) * STEP_MS);
    const own = lines.filter(({ started_at }) => started_at?.getTime() === startedAt.getTime());
    return { startedAt, ...countsOf(own) };
  });
}

function hoursBy<Key>(lines: readonly Line[], keyOf: (line: Line) => Key | null): Map<Key, TrafficHours> {
  const groups = new Map<Key, Line[]>();
  for (const line of lines) {
    const key = keyOf(line);
    if (key === null) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [line]);
    else group.push(line);
  }
  return new Map([...groups].map(([key, group]) => [key, hoursOf(group)]));
}

function hoursOf(lines: readonly Line[]): TrafficHours {
  return {
    lastHour: countsOf(lines.filter(({ is_now }) => is_now)),
    weekBefore: countsOf(lines.filter(({ is_now }) => !is_now)),
  };
}

function countsOf(lines: readonly Line[]): TrafficCounts {
  const counts: Record<string, number> = { ...NO_TRAFFIC };
  for (const { event, messages } of lines) {
    const name = event === 'queued' ? 'accepted' : event;
    counts[name] = (counts[name] ?? 0) + Number(messages);
  }
  return counts as unknown as TrafficCounts;
}
