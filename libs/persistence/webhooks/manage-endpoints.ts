import { randomInt } from 'node:crypto';
import { type KeyManager, lockKeys, refuseClosed } from '../accounts/key-manager.js';
import type { Database, Queryable } from '../database/database.js';
import { newWebhookSecret, sealWebhookSecret } from './endpoint-secrets.js';
import type { EventType } from './event-types.js';
import { findEndpoint, type WebhookEndpoint } from './find-endpoints.js';
import { noSuchWebhook, WebhookRefused } from './webhook-refused.js';

/** Endpoints of an account, disabled ones as well. */
export const WEBHOOKS_MAX = 20;
/** Replaced secrets of an endpoint that still sign. */
const OLD_SECRETS_MAX = 4;
const ID_CHARACTERS = '0123456789abcdefghijklmnopqrstuvwxyz';

export interface EndpointSettings {
  readonly url: string;
  readonly events: readonly EventType[];
  /** For people; empty if nobody gave one. */
  readonly description: string;
}

/** Where an endpoint that is enabled again goes on: with what it has missed, or with what happens from now on. */
export type Resume = 'cursor' | 'now';

export interface NewSecret {
  readonly endpoint: WebhookEndpoint;
  /** Shown only now. */
  readonly secret: string;
}

/**
 * Adds an endpoint, which gets what happens from now on.
 *
 * @throws WebhookRefused when there are too many, or its secret cannot be stored
 */
export function addEndpoint(database: Database, settings: EndpointSettings, manager: KeyManager): Promise<NewSecret> {
  const { accountId } = manager;
  return database.transaction(async (transaction) => {
    await lockKeys(transaction, accountId, manager);
    await refuseClosed(transaction, accountId);
    const [row] = await transaction.query<{ count: number }>(
      'select count(*)::integer as count from webhook_endpoint where account_id = $1',
      [accountId],
    );
    if ((row?.count ?? 0) >= WEBHOOKS_MAX) {
      throw new WebhookRefused(
        'too_many_webhooks',
        `account ${accountId} has ${WEBHOOKS_MAX} webhooks: delete one first`,
      );
    }
    const endpointId = newEndpointId();
    const secret = newWebhookSecret();
    await transaction.query(
      `insert into webhook_endpoint (endpoint_id, account_id, url, events, description, secret)
       values ($1, $2, $3, $4, $5, $6)`,
      [
        endpointId,
        accountId,
        settings.url,
        [...new Set(settings.events)],
        settings.description,
        sealWebhookSecret(database.secretKeys, endpointId, secret),
      ],
    );
    await transaction.query(
      "insert into webhook_progress (endpoint_id, cursor_xid, cursor_batch) values ($1, '0', 0)",
      [endpointId],
    );
    await beginNow(transaction, endpointId);
    await refreshWish(transaction, accountId);
    return { endpoint: await endpointOf(transaction, endpointId, accountId), secret };
  });
}

/**
 * Changes what is given.
 *
 * @throws WebhookRefused when the account has no such endpoint
 */
export function changeEndpoint(
  database: Database,
  endpointId: string,
  { url, events, description }: Partial<EndpointSettings>,
  manager: KeyManager,
): Promise<WebhookEndpoint> {
  return changing(database, endpointId, manager, async (transaction) => {
    await transaction.query(
      `update webhook_endpoint set url = coalesce($2, url), events = coalesce($3, events),
              description = coalesce($4, description) where endpoint_id = $1`,
      [endpointId, url ?? null, events === undefined ? null : [...new Set(events)], description ?? null],
    );
  });
}

/** @throws WebhookRefused when the account has no such endpoint */
export async function removeEndpoint(database: Database, endpointId: string, manager: KeyManager): Promise<void> {
  await database.transaction(async (transaction) => {
    await lockKeys(transaction, manager.accountId, manager);
    await endpointOf(transaction, endpointId, manager.accountId);
    await transaction.query('delete from webhook_endpoint where endpoint_id = $1', [endpointId]);
    await refreshWish(transaction, manager.accountId);
  });
}

/**
 * Gives an endpoint another secret; the old one signs as well for a while. So do those before it whose time is not
 * over: if the answer to a rotation was lost, the receiver has one of them.
 *
 * @throws WebhookRefused when the account has no such endpoint, or the secret cannot be stored
 */
export async function rotateEndpointSecret(
  database: Database,
  endpointId: string,
  overlapSeconds: number,
  manager: KeyManager,
): Promise<NewSecret> {
  const secret = newWebhookSecret();
  const endpoint = await changing(database, endpointId, manager, async (transaction) => {
    await transaction.query(
      `update webhook_endpoint
          set secret = $2,
              old_secret = case when $3 > 0 then array_to_string((string_to_array(
                concat_ws(' ', secret, case when overlap_until > now() then old_secret end), ' '))[1:$4], ' ') end,
              overlap_until = case when $3 > 0 then now() + make_interval(secs => $3) end where endpoint_id = $1`,
      [endpointId, sealWebhookSecret(database.secretKeys, endpointId, secret), overlapSeconds, OLD_SECRETS_MAX],
    );
  });
  return { endpoint, secret };
}

/**
 * Stops deliveries to an endpoint; its events are kept.
 *
 * @param manager undefined: an operator
 * @throws WebhookRefused when there is no such endpoint
 */
export function disableEndpoint(
  database: Database,
  endpointId: string,
  manager?: KeyManager,
): Promise<WebhookEndpoint> {
  return changing(database, endpointId, manager, async (transaction) => {
    await transaction.query(
      `update webhook_endpoint set disabled_at = now(), disabled_reason = $2
        where endpoint_id = $1 and disabled_at is null`,
      [endpointId, manager === undefined ? 'operator' : 'client'],
    );
  });
}

/**
 * Starts deliveries again. One that works gets its next attempt at once.
 *
 * @param manager undefined: an operator
 * @throws WebhookRefused when there is no such endpoint
 */
export function enableEndpoint(
  database: Database,
  endpointId: string,
  resume: Resume,
  manager?: KeyManager,
): Promise<WebhookEndpoint> {
  return changing(database, endpointId, manager, async (transaction) => {
    await transaction.query(
      'update webhook_endpoint set disabled_at = null, disabled_reason = null where endpoint_id = $1',
      [endpointId],
    );
    // Without an owner: a process that has it now may not write back what it knew.
    await transaction.query(
      'update webhook_progress set failures = 0, failing_since = null, next_probe_at = null, owner = null where endpoint_id = $1',
      [endpointId],
    );
    await transaction.query('update webhook_retry set due_at = now() where endpoint_id = $1', [endpointId]);
    if (resume === 'cursor') return;
    await transaction.query('delete from webhook_retry where endpoint_id = $1', [endpointId]);
    await transaction.query('delete from webhook_replay where endpoint_id = $1', [endpointId]);
    await beginNow(transaction, endpointId);
  });
}

/**
 * The endpoint is told of what is not committed yet. So its place is that of the oldest transaction that runs. One that
 * stays open elsewhere in the cluster would bring back what was committed before, so that is passed over (`since`).
 */
async function beginNow(transaction: Queryable, endpointId: string): Promise<void> {
  await transaction.query(
    `update webhook_progress
        set cursor_xid = pg_snapshot_xmin(pg_current_snapshot()), cursor_batch = 0, cursor_index = 0,
            since = pg_current_snapshot()
      where endpoint_id = $1`,
    [endpointId],
  );
}

/** Changes one endpoint, with the account's keys and endpoints locked. */
async function changing(
  database: Database,
  endpointId: string,
  manager: KeyManager | undefined,
  change: (transaction: Queryable) => Promise<void>,
): Promise<WebhookEndpoint> {
  return database.transaction(async (transaction) => {
    const accountId = manager?.accountId ?? (await endpointOf(transaction, endpointId)).accountId;
    await lockKeys(transaction, accountId, manager);
    await endpointOf(transaction, endpointId, accountId);
    await change(transaction);
    await refreshWish(transaction, accountId);
    return endpointOf(transaction, endpointId, accountId);
  });
}

async function endpointOf(transaction: Queryable, endpointId: string, accountId?: string): Promise<WebhookEndpoint> {
  const endpoint = await findEndpoint(transaction, endpointId, accountId);
  if (endpoint === undefined) throw noSuchWebhook(endpointId);
  return endpoint;
}

async function refreshWish(transaction: Queryable, accountId: string): Promise<void> {
  await transaction.query('select refresh_event_wish($1)', [accountId]);
}

function newEndpointId(): string {
  return `we_${Array.from({ length: 16 }, () => ID_CHARACTERS[randomInt(ID_CHARACTERS.length)]).join('')}`;
}
