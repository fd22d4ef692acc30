import type { FastifyRequest } from 'fastify';
import { clientNetwork } from './client-network.js';
import { Problem } from './problem.js';
import { rateLimited } from './rate-limited.js';
import { TokenBuckets } from './token-buckets.js';

/** The wrong keys that an address may send; more are answered 429. Valid keys from that address are always served. */
const WRONG_KEYS = { perSecond: 50, burst: 1_000, ownersMax: 10_000 };
const CHALLENGE = { 'www-authenticate': 'ApiKey realm="heliograph", header="X-Authorization"' };

export function unauthorized(detail = 'Send the API key of an account in the X-Authorization header.'): Problem {
  return new Problem('unauthorized', detail, { headers: CHALLENGE });
}

export function keyExpired(): Problem {
  return new Problem('key_expired', 'This API key has expired.', { headers: CHALLENGE });
}

/** Answers requests whose key is malformed, unknown or revoked, and counts them by the address. */
export class WrongKeys {
  private readonly buckets = new TokenBuckets(WRONG_KEYS);

  refusal({ ip, headers }: FastifyRequest): Problem {
    const waitMs = this.buckets.take(clientNetwork(ip));
    if (waitMs > 0) {
      return rateLimited('Too many wrong keys came from this address.', 'wrong-keys', WRONG_KEYS, waitMs);
    }
    // Node joins the values of a header that is sent twice; no key has this character.
    const isSentTwice = headers['x-authorization']?.includes(',');
    return unauthorized(isSentTwice ? 'Send one X-Authorization header, with one key.' : 'The API key is not valid.');
  }
}
