import { formatMicros, type Micros } from '#billing';
import type { KeyHolder } from '#persistence';
import { Problem } from '../http/problem.js';
import { tooManyMessages } from '../http/rate-limited.js';
import type { Verdict } from './group-commit.js';

type Refusal = Extract<
  Verdict,
  { kind: 'key_reused' | 'insufficient_balance' | 'rate_limited' | 'suspended' | 'closed' }
>;

/** What a client is told whose request the commit has refused. */
export function refusalOf(verdict: Refusal, account: KeyHolder, total: Micros): Problem {
  switch (verdict.kind) {
    case 'key_reused':
      return new Problem('idempotency_key_reused', 'This Idempotency-Key was used with another payload.');
    case 'insufficient_balance':
      return insufficientBalance(verdict.balance, total, account.currency);
    case 'rate_limited':
      return tooManyMessages(account.rateLimitPerSecond ?? 1, verdict.retryAfterMs);
    case 'suspended':
      return new Problem('account_suspended', 'This account is suspended. Ask the operator.');
    case 'closed':
      return new Problem('account_closed', 'This account is closed.');
    default:
      throw new Error(`unreachable: ${verdict satisfies never}`);
  }
}

function insufficientBalance(balance: Micros, required: Micros, currency: string): Problem {
  return new Problem(
    'insufficient_balance',
    `The balance is ${formatMicros(balance)} ${currency}; this costs ${formatMicros(required)} ${currency}.`,
    { members: { balance, required, currency } },
  );
}
