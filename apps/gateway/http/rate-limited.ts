import { Problem } from './problem.js';

interface Policy {
  readonly perSecond: number;
  readonly burst: number;
}

/**
 * The refusal of too frequent requests, with the headers of draft-ietf-httpapi-ratelimit-headers-11: the policy's quota
 * `q` in a window of `w` seconds, the rest of it (`r`), and in how many seconds (`t`) there is room.
 */
export function rateLimited(detail: string, policy: string, { perSecond, burst }: Policy, waitMs: number): Problem {
  const seconds = secondsOf(waitMs);
  return exceeded(detail, policy, {
    'retry-after': seconds,
    'ratelimit-policy': `"${policy}";q=${burst};w=${Math.max(1, Math.ceil(burst / perSecond))}`,
    ratelimit: `"${policy}";r=0;t=${seconds}`,
  });
}

/** The refusal of more messages than the account may send; `RateStandings` tells the limit, as in all its answers. */
export function tooManyMessages(perSecond: number, retryAfterMs: number): Problem {
  const detail = `This account may send ${perSecond} messages a second.`;
  return exceeded(detail, 'messages', { 'retry-after': secondsOf(retryAfterMs) });
}

function exceeded(detail: string, policy: string, headers: Record<string, string>): Problem {
  return new Problem('rate_limited', detail, { headers, members: { 'violated-policies': [policy] } });
}

function secondsOf(waitMs: number): string {
  return String(Math.max(1, Math.ceil(waitMs / 1_000)));
}
