import { Problem } from './problem.js';

interface Policy {
  readonly perSecond: number;
  readonly burst: number;
}

/**
 * The refusal of too frequent requests, with the headers of draft-ietf-httpapi-ratelimit-headers-10: the policy's quota
 * `q` in a window of `w` seconds, the rest of it (`r`), and in how many seconds (`t`) there is room.
 */
export function rateLimited(detail: string, policy: string, { perSecond, burst }: Policy, waitMs: number): Problem {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new Problem('rate_limited', detail, {
    headers: {
      'retry-after': String(seconds),
      'ratelimit-policy': `"${policy}";q=${burst};w=${Math.max(1, Math.ceil(burst / perSecond))}`,
      ratelimit: `"${policy}";r=0;t=${seconds}`,
    },
  });
}
