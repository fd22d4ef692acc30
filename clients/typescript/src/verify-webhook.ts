import { HeliographError } from './errors.js';
import type { WebhookEvent } from './webhook-events.js';

/** The headers of a request, as frameworks have them: `Headers`, or an object by names. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** How old or how far ahead of this clock a webhook may be. 300 when left out. */
  toleranceSeconds?: number | undefined;
}

/** The request is not a webhook of the service, or not one of now. Answer 400, and do nothing. */
export class WebhookVerificationError extends HeliographError {
  override readonly name = 'WebhookVerificationError';
}

const TOLERANCE_SECONDS = 300;
const SIGNATURES_MAX = 16;
const encoder = new TextEncoder();

/**
 * Checks a webhook by Standard Webhooks 1.0, and reads it.
 *
 * @param body the bytes of the request as they came, or their text; a body that was parsed and written again differs
 * @param secrets `whsec_...` of the endpoint; while it is rotated, the old and the new one
 * @throws WebhookVerificationError
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const bytes = bytesOf(body);
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = signaturesOf(headerOf(headers, 'webhook-signature'));
  const offSeconds = Date.now() / 1_000 - (/^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN);
  // Also when it is not a number.
  if (!(Math.abs(offSeconds) <= toleranceSeconds))
    throw new WebhookVerificationError('webhook-timestamp is not of now');

  const signed = joined(encoder.encode(`${id}.${timestamp}.`), bytes);
  for (const secret of typeof secrets === 'string' ? [secrets] : secrets) {
    const key = await keyOf(secret);
    for (const signature of signatures) {
      // Compares in constant time.
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return eventOf(bytes);
    }
  }
  throw new WebhookVerificationError('No signature of webhook-signature fits');
}

function bytesOf(body: unknown): Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return encoder.encode(body);
  if (body instanceof Uint8Array || body instanceof ArrayBuffer) return new Uint8Array(body);
  throw new TypeError('verifyWebhook needs the raw body, as bytes or text, before anything has parsed it');
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const { get } = headers as { get?: unknown };
  const value =
    typeof get === 'function'
      ? (headers as { get(name: string): string | null }).get(name)
      : Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
  if (typeof value !== 'string' || value === '')
    throw new WebhookVerificationError(`The header ${name} is missing or repeated`);
  return value;
}

/** Those of version 1, which is HMAC-SHA256. */
function signaturesOf(header: string): Uint8Array<ArrayBuffer>[] {
  const texts = header.split(' ').filter((text) => text.startsWith('v1,'));
  return texts.slice(0, SIGNATURES_MAX).flatMap((text) => decoded(text.slice('v1,'.length)) ?? []);
}

function keyOf(secret: string) {
  const raw = decoded(secret.replace(/^whsec_/, ''));
  // Not a matter of the request: the settings of the receiver are wrong.
  if (raw === undefined || raw.length === 0) throw new TypeError('A webhook secret is whsec_ and base64');
  return crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function decoded(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(head.length + tail.length);
  all.set(head);
  all.set(tail, head.length);
  return all;
}

function eventOf(bytes: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent;
  } catch (cause) {
    throw new WebhookVerificationError('The body is not JSON', { cause });
  }
}
