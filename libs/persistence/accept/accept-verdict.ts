import type { Micros } from '#billing';

/** What becomes of a request in its commit. */
export type AcceptVerdict =
  | { readonly kind: 'accepted'; readonly aheadMs?: number }
  /** The key was used for the same payload before; its orders start at `firstSequence`. */
  | { readonly kind: 'replayed'; readonly firstSequence: bigint; readonly orderCount: number }
  | { readonly kind: 'key_reused' }
  /** An earlier message has a reference that was to be unique. */
  | { readonly kind: 'reference_used' }
  | { readonly kind: 'insufficient_balance'; readonly balance: Micros }
  /** `aheadMs`, as of what is accepted: how far the account is ahead of the pace of its limit, if it has one. */
  | { readonly kind: 'rate_limited'; readonly retryAfterMs: number; readonly aheadMs: number }
  | { readonly kind: 'suspended' | 'closed' }
  /** It was judged by guards that have changed since. */
  | { readonly kind: 'guards_changed' }
  /** The messages of it, by their place, whose numbers are on the suppression list. */
  | { readonly kind: 'opted_out'; readonly positions: readonly number[] }
  /** The places of the keys in `counted` that are over their max. */
  | { readonly kind: 'velocity'; readonly positions: readonly number[] }
  | { readonly kind: 'spend_day' | 'spend_month'; readonly spent: Micros }
  /** Another transaction holds the balance of its account, so it was not judged; only if that was asked for. */
  | { readonly kind: 'held' };

export const ACCEPTED: AcceptVerdict = { kind: 'accepted' };

/** Of a request that was not simply accepted. */
export interface VerdictRow {
  request: number;
  verdict: AcceptVerdict['kind'];
  first_sequence: string;
  order_count: number;
  available: string;
  retry_after_ms: number;
  /** null: the account has no limit. */
  ahead_ms: number | null;
  positions: number[] | null;
}

export function verdictOf(row: VerdictRow): AcceptVerdict {
  switch (row.verdict) {
    case 'accepted':
      return row.ahead_ms === null ? ACCEPTED : { kind: 'accepted', aheadMs: row.ahead_ms };
    case 'key_reused':
    case 'reference_used':
    case 'suspended':
    case 'closed':
    case 'guards_changed':
    case 'held':
      return { kind: row.verdict };
    case 'opted_out':
    case 'velocity':
      return { kind: row.verdict, positions: row.positions ?? [] };
    case 'spend_day':
    case 'spend_month':
      return { kind: row.verdict, spent: BigInt(row.available) };
    case 'replayed':
      return { kind: 'replayed', firstSequence: BigInt(row.first_sequence), orderCount: row.order_count };
    case 'insufficient_balance':
      return { kind: 'insufficient_balance', balance: BigInt(row.available) };
    case 'rate_limited':
      return { kind: 'rate_limited', retryAfterMs: row.retry_after_ms, aheadMs: row.ahead_ms ?? 0 };
    default:
      throw new Error(`unreachable: ${row.verdict satisfies never}`);
  }
}
