import type { Queryable } from '../database/database.js';
import type { EventType } from './event-types.js';

/** The client or an operator, the receiver with status 410, or five days without a success. */
export type DisabledReason = 'client' | 'operator' | 'gone' | 'failing';

/** An endpoint as its owner sees it; its secret is shown only once. */
export interface WebhookEndpoint {
  readonly endpointId: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly url: string;
  readonly events: readonly EventType[];
  readonly description: string;
  readonly createdAt: Date;
  /** undefined: enabled. */
  readonly disabledAt: Date | undefined;
  readonly disabledReason: DisabledReason | undefined;
  /** The first failure since the last success. */
  readonly failingSince: Date | undefined;
  readonly lastSuccessAt: Date | undefined;
  /** Of the last failure. */
  readonly lastError: string | undefined;
  /** Until when the old secret signs as well. */
  readonly overlapUntil: Date | undefined;
}

type Row = { [Key in keyof WebhookEndpoint]: Exclude<WebhookEndpoint[Key], undefined> | null };

const ENDPOINTS = `
  select e.endpoint_id as "endpointId", e.account_id as "accountId", a.name as "accountName", e.url, e.events,
         e.description, e.created_at as "createdAt", e.disabled_at as "disabledAt",
         e.disabled_reason as "disabledReason", p.failing_since as "failingSince", p.last_success_at as "lastSuccessAt",
         p.last_error as "lastError",
         case when e.overlap_until > now() then e.overlap_until end as "overlapUntil"
    from webhook_endpoint e join webhook_progress p using (endpoint_id)
                            join account a using (account_id)`;

/**
 * The endpoints of an account, oldest first; of all accounts if none is given.
 *
 * @param isOpen leaves out those of closed accounts, whose owners can neither mend nor remove them
 */
export async function listEndpoints(
  database: Queryable,
  { accountId, isOpen = false }: { readonly accountId?: string; readonly isOpen?: boolean } = {},
): Promise<WebhookEndpoint[]> {
  const rows = await database.query<Row>(
    `${ENDPOINTS}
      where ($1::bigint is null or account_id = $1) and (a.status <> 'closed' or not $2)
      order by account_id, e.created_at, e.endpoint_id`,
    [accountId ?? null, isOpen],
  );
  return rows.map(endpointOf);
}

/** As `manage-endpoints.ts` makes them. No other text is asked for: PostgreSQL refuses one with a NUL. */
const ENDPOINT_ID = /^we_[0-9a-z]{16}$/;

/** The endpoint, if it is one of this account, or of any account if none is given; undefined if not. */
export async function findEndpoint(
  database: Queryable,
  endpointId: string,
  accountId?: string,
): Promise<WebhookEndpoint | undefined> {
  if (!ENDPOINT_ID.test(endpointId)) return undefined;
  const [row] = await database.query<Row>(
    `${ENDPOINTS} where e.endpoint_id = $1 and ($2::bigint is null or e.account_id = $2)`,
    [endpointId, accountId ?? null],
  );
  return row && endpointOf(row);
}

function endpointOf(row: Row): WebhookEndpoint {
  const given = Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? undefined]));
  return given as unknown as WebhookEndpoint;
}
