import { createHmac, randomBytes } from 'node:crypto';

export interface SignedWebhook {
  readonly body: string;
  readonly headers: Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>>;
  readonly secret: string;
}

export const EVENT = '{"type":"message.sent","timestamp":"2026-11-22T00:00:00.000Z","data":{"messageId":"ü"}}';

/** A webhook as Standard Webhooks 1.0 says, signed with Node's own HMAC. */
export function signedWebhook({ body = EVENT, atMs = Date.now(), key = randomBytes(32) } = {}): SignedWebhook {
  const at = String(Math.floor(atMs / 1_000));
  const signature = createHmac('sha256', key).update(`msg_1.${at}.${body}`).digest('base64');
  const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': at, 'webhook-signature': `v1,${signature}` };
  return { body, headers, secret: `whsec_${key.toString('base64')}` };
}
