import { randomBytes } from 'node:crypto';
import { keyIdOf, type SecretKeys, SecretUnreadable } from '../carriers/secret-keys.js';
import type { Queryable } from '../database/database.js';
import { OperatorError } from '../operators/operator-error.js';
import { WebhookRefused } from './webhook-refused.js';

/** 32 bytes for HMAC-SHA256, as Standard Webhooks writes them. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** @throws WebhookRefused when there is no key */
export function sealWebhookSecret(keys: SecretKeys, endpointId: string, secret: string): string {
  try {
    return keys.seal(secret, identityOf(endpointId));
  } catch (error) {
    if (!(error instanceof SecretUnreadable)) throw error;
    throw new WebhookRefused('no_secrets_key', 'the secret of a webhook cannot be stored: set SECRETS_KEY_FILE');
  }
}

/** @throws SecretUnreadable naming the key that is missing */
export function openWebhookSecret(keys: SecretKeys, endpointId: string, stored: string): string {
  return keys.open(stored, identityOf(endpointId));
}

/** The replaced secrets of an endpoint, the newest first, as `old_secret` has them: with spaces between. */
export function storedSecrets(old: string | null): readonly string[] {
  return old === null ? [] : old.split(' ');
}

/** The ids of the keys that secrets of webhooks are encrypted with. */
export async function webhookKeyIds(database: Queryable): Promise<string[]> {
  const rows = await database.query<{ stored: string }>(
    `select distinct on (split_part(s, ':', 2)) s as stored
       from webhook_endpoint e cross join unnest(string_to_array(concat_ws(' ', e.secret, e.old_secret), ' ')) s`,
  );
  return rows.flatMap(({ stored }) => keyIdOf(stored) ?? []);
}

/**
 * Encrypts them with the current key.
 *
 * @returns whether there was one with another key
 * @throws OperatorError when one cannot be read
 */
export async function rotateWebhookSecrets(transaction: Queryable, keys: SecretKeys): Promise<boolean> {
  const rows = await transaction.query<{ id: string; secret: string; old: string | null }>(
    'select endpoint_id as id, secret, old_secret as old from webhook_endpoint order by endpoint_id for update',
  );
  const isOther = (stored: string) => keyIdOf(stored) !== keys.currentId;
  const others = rows.filter(({ secret, old }) => [secret, ...storedSecrets(old)].some(isOther));
  for (const { id, secret, old } of others) {
    const anew = (stored: string) => sealWebhookSecret(keys, id, openedForRotation(keys, id, stored));
    await transaction.query('update webhook_endpoint set secret = $2, old_secret = $3 where endpoint_id = $1', [
      id,
      anew(secret),
      old === null ? null : storedSecrets(old).map(anew).join(' '),
    ]);
  }
  return others.length > 0;
}

function openedForRotation(keys: SecretKeys, endpointId: string, stored: string): string {
  try {
    return openWebhookSecret(keys, endpointId, stored);
  } catch (error) {
    if (!(error instanceof SecretUnreadable)) throw error;
    throw new OperatorError(`nothing was changed: the secret of webhook ${endpointId} ${error.message}`);
  }
}

function identityOf(endpointId: string): string {
  return `webhook:${endpointId}:secret`;
}
