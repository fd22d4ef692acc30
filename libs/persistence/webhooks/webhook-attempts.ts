import type { Queryable } from '../database/database.js';
import { type EventPlace, eventIdOf } from './replay-events.js';

/** Why an event was sent. */
export type AttemptKind = 'event' | 'test' | 'replay';

export const ATTEMPT_OUTCOMES = ['delivered', 'failed', 'given_up'] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** A failed attempt, or any attempt of a test or a replay. */
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

/** The newest attempts at an endpoint, of the last 30 days; `before`: only those with lower numbers; `outcome`: with it. */
export async function listAttempts(
  database: Queryable,
  endpointId: string,
  limit: number,
  before?: number,
  outcome?: AttemptOutcome,
): Promise<WebhookAttempt[]> {
  const rows = await database.query<Row>(
    `select attempt_id as "attemptId", at, batch_id as "batchId", index, type, kind, attempt, outcome,
            http_status as "httpStatus", error, duration_ms as "durationMs", next_attempt_at as "nextAttemptAt"
       from webhook_attempt where endpoint_id = $1 and ($2::bigint is null or attempt_id < $2)
        and ($4::text is null or outcome = $4)
      order by attempt_id desc limit $3`,
    [endpointId, before ?? null, limit, outcome ?? null],
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
  outcome?: AttemptOutcome,
): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `select count(*)::integer as count
       from (select from webhook_attempt
              where endpoint_id = $1 and ($3::text is null or outcome = $3) limit $2) a`,
    [endpointId, bound, outcome ?? null],
  );
  return row?.count ?? 0;
}
