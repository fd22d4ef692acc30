import type { Queryable } from '../database/database.js';
import { type EventPlace, eventIdOf } from './replay-events.js';

/** Why an event was sent. */
export type AttemptKind = 'event' | 'test' | 'replay';

export const ATTEMPT_OUTCOMES = ['delivered', 'failed', 'given_up'] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** A failed attempt, a success after one, or any attempt of a test or a replay. */
export interface WebhookAttempt {
  readonly attemptId: number;
  readonly at: Date;
  readonly eventId: string;
  readonly type: string;
  readonly kind: AttemptKind;
  /** From 1. */
  readonly attempt: number;
  readonly outcome: AttemptOutcome;
  readonly httpStatus: number | undefined;
  readonly error: string | undefined;
  readonly durationMs: number;
  readonly nextAttemptAt: Date | undefined;
}

type Row = Omit<WebhookAttempt, 'eventId' | 'attemptId' | 'httpStatus' | 'error' | 'nextAttemptAt'> &
  EventPlace & {
    readonly attemptId: string;
    readonly httpStatus: number | null;
    readonly error: string | null;
    readonly nextAttemptAt: Date | null;
  };

/** Which attempts of an endpoint; all if it is empty. */
export interface AttemptFilters {
  readonly outcome?: AttemptOutcome | undefined;
  /** Of the event. */
  readonly type?: string | undefined;
  /** Made at or after. */
  readonly from?: Date | undefined;
  /** Made before. */
  readonly to?: Date | undefined;
}

const FITS = `endpoint_id = $1 and ($2::text is null or outcome = $2) and ($3::text is null or type = $3)
          and ($4::timestamptz is null or at >= $4) and ($5::timestamptz is null or at < $5)`;

/** The newest attempts at an endpoint, of the last 30 days; `before`: only those with lower numbers. */
export async function listAttempts(
  database: Queryable,
  endpointId: string,
  limit: number,
  before?: number,
  filters: AttemptFilters = {},
): Promise<WebhookAttempt[]> {
  const rows = await database.query<Row>(
    `select attempt_id as "attemptId", at, batch_id as "batchId", index, type, kind, attempt, outcome,
            http_status as "httpStatus", error, duration_ms as "durationMs", next_attempt_at as "nextAttemptAt"
       from webhook_attempt where ${FITS} and ($6::bigint is null or attempt_id < $6)
      order by attempt_id desc limit $7`,
    [...parametersOf(endpointId, filters), before ?? null, limit],
  );
  return rows.map(({ batchId, index, ...row }) => ({
    ...row,
    attemptId: Number(row.attemptId),
    eventId: eventIdOf({ batchId, index }),
    httpStatus: row.httpStatus ?? undefined,
    error: row.error ?? undefined,
    nextAttemptAt: row.nextAttemptAt ?? undefined,
  }));
}

/** How many there are, counted up to a bound. */
export async function countAttempts(
  database: Queryable,
  endpointId: string,
  bound: number,
  filters: AttemptFilters = {},
): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `select count(*)::integer as count from (select from webhook_attempt where ${FITS} limit $6) a`,
    [...parametersOf(endpointId, filters), bound],
  );
  return row?.count ?? 0;
}

function parametersOf(endpointId: string, { outcome, type, from, to }: AttemptFilters): unknown[] {
  return [endpointId, outcome ?? null, type ?? null, from ?? null, to ?? null];
}
