import { createHmac } from 'node:crypto';

/**
 * The headers by which a receiver knows who sent a request and when, by Standard Webhooks: HMAC-SHA256 over id, time
 * and body, once with each secret.
 *
 * @param secrets `whsec_` and the key in base64; while one replaces others, all of them
 */
export function signedHeaders(
  id: string,
  timestampSeconds: number,
  body: string,
  secrets: readonly string[],
): Record<string, string> {
  const text = `${id}.${timestampSeconds}.${body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signatures.join(' '),
  };
}
