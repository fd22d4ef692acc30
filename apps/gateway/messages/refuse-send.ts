import { Injectable } from '@nestjs/common';
import { formatMicros, type Micros } from '#billing';
import { Database, type KeyHolder } from '#persistence';
import { type GuardedSend, GuardSends } from '../guards/guard-sends.js';
import { Problem, problemOf } from '../http/problem.js';
import { tooManyMessages } from '../http/rate-limited.js';
import type { Verdict } from './group-commit.js';
import type { Submission } from './submission.js';
import { usedReferenceFaults } from './unique-references.js';

type Refusal = Exclude<Verdict, { kind: 'accepted' | 'replayed' | 'guards_changed' }>;

/** A send as it came to its commit. */
interface RefusedSend {
  readonly account: KeyHolder;
  readonly submission: Submission;
  readonly guarded: GuardedSend | undefined;
  readonly total: Micros;
}

/** What a client is told whose request the commit has refused. */
@Injectable()
export class RefuseSend {
  constructor(
    private readonly database: Database,
    private readonly guards: GuardSends,
  ) {}

  async problemOf(verdict: Refusal, { account, submission, guarded, total }: RefusedSend): Promise<Problem> {
    switch (verdict.kind) {
      case 'key_reused':
        return new Problem('idempotency_key_reused', 'This Idempotency-Key was used with another payload.');
      case 'reference_used':
        return problemOf(await usedReferenceFaults(this.database, account.accountId, submission));
      case 'insufficient_balance':
        return insufficientBalance(verdict.balance, total, account.currency);
      case 'rate_limited':
        return tooManyMessages(account.rateLimitPerSecond ?? 1, verdict.retryAfterMs);
      case 'suspended':
        return new Problem('account_suspended', 'This account is suspended. Ask the operator.');
      case 'closed':
        return new Problem('account_closed', 'This account is closed.');
      case 'opted_out':
      case 'velocity':
      case 'spend_day':
      case 'spend_month':
        return this.guards.problemOf(verdict, guarded, submission.isBatch, total, account);
      default:
        throw new Error(`unreachable: ${verdict satisfies never}`);
    }
  }
}

function insufficientBalance(balance: Micros, required: Micros, currency: string): Problem {
  return new Problem(
    'insufficient_balance',
    `The balance is ${formatMicros(balance)} ${currency}; this costs ${formatMicros(required)} ${currency}.`,
    { members: { balance, required, currency } },
  );
}
