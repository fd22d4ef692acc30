import { randomBytes } from 'node:crypto';
import { type SecretKeys, SecretUnreadable } from '../carriers/secret-keys.js';
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

function identityOf(endpointId: string): string {
  return `webhook:${endpointId}:secret`;
}
