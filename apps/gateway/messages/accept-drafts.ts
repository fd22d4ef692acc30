import { Injectable } from '@nestjs/common';
import { v7 as uuidV7 } from 'uuid';
import { formatMicros, type MessageQuote, type Micros } from '#billing';
import {
  acceptedOrders,
  Database,
  findKeyedRequest,
  type KeyHolder,
  type PricedMessage,
  usedReferences,
} from '#persistence';
import { type FieldFault, Problem, problemOf } from '../http/problem.js';
import { tooManyMessages } from '../http/rate-limited.js';
import { RateStandings } from '../http/rate-standings.js';
import { GatewayMetrics } from '../operator/gateway-metrics.js';
import { RouteBook } from '../routes/route-book.js';
import { TariffBook } from '../tariffs/tariff-book.js';
import { DirectDispatch } from './direct-dispatch.js';
import { GroupCommit } from './group-commit.js';
import type { IdempotencyKey } from './idempotency.js';
import { priceDrafts } from './price-drafts.js';
import { referenceUsed, type Submission } from './submission.js';

export interface AcceptedOrder {
  readonly id: string;
  readonly recipient: string;
  readonly price: Micros;
  readonly reference?: string | undefined;
  readonly tag?: string | undefined;
}

export interface Acceptance {
  readonly orders: readonly AcceptedOrder[];
  readonly total: Micros;
  /** The key was used before: nothing was charged now, and the orders are those of the first time. */
  readonly isReplay: boolean;
}

/** USE CASE: check and price, then charge and store in one commit, which tells the workers. */
@Injectable()
export class AcceptDrafts {
  constructor(
    private readonly database: Database,
    private readonly tariffs: TariffBook,
    private readonly routes: RouteBook,
    private readonly commits: GroupCommit,
    private readonly direct: DirectDispatch,
    private readonly metrics: GatewayMetrics,
    private readonly standings: RateStandings,
  ) {}

  /**
   * Accepts all drafts or none.
   *
   * @throws Problem saying why; then nothing is stored and nothing is charged
   */
  async accept(
    account: KeyHolder,
    submission: Submission,
    idempotencyKey: IdempotencyKey | undefined,
  ): Promise<Acceptance> {
    const tariff = await this.tariffs.tariff(account.tariffId);
    const routing = await this.routes.routing();
    let quotes: MessageQuote[];
    try {
      const priced = priceDrafts(submission, tariff, routing);
      quotes = priced instanceof Promise ? await priced : priced;
    } catch (problem) {
      // Prices and routes may have gone since the first time; a repeat is answered as it was then.
      const replay = idempotencyKey && (await this.replayOf(account, idempotencyKey));
      if (replay === undefined) throw problem;
      return replay;
    }
    const messages = quotes.map((quote, index): PricedMessage => {
      const { recipient = '', message = '', reference, tag } = submission.drafts[index] ?? {};
      const priced = {
        id: uuidV7(),
        recipient,
        destination: quote.destination,
        message,
        extended: quote.encoding === 'extended',
        segments: quote.segments,
        price: quote.price,
      };
      return submission.labels === undefined ? priced : { ...priced, reference, tag };
    });
    const total = messages.reduce((sum, { price }) => sum + price, 0n);
    const [message, ...others] = messages;
    const carrier = message && others.length === 0 ? this.direct.carrierFor(account, message) : undefined;
    const verdict = await this.commits.accept(account.accountId, {
      messages,
      total,
      labels: submission.labels,
      ...(carrier === undefined ? { inBacklog: true } : { carrier }),
      ...(idempotencyKey && { idempotencyKey }),
    });
    switch (verdict.kind) {
      case 'accepted':
        if (verdict.aheadMs !== undefined) this.standings.note(account.accountId, verdict.aheadMs);
        this.metrics.accepted.inc(messages.length);
        return { orders: messages, total, isReplay: false };
      case 'replayed':
        return this.replay(account, verdict.firstSequence, verdict.orderCount);
      case 'key_reused':
        throw new Problem('idempotency_key_reused', 'This Idempotency-Key was used with another payload.');
      case 'reference_used':
        throw problemOf(await this.usedReferences(account, submission));
      case 'insufficient_balance':
        throw insufficientBalance(verdict.balance, total, account.currency);
      case 'rate_limited':
        this.standings.note(account.accountId, verdict.aheadMs);
        throw tooManyMessages(account.rateLimitPerSecond ?? 1, verdict.retryAfterMs);
      case 'suspended':
        throw new Problem('account_suspended', 'This account is suspended. Ask the operator.');
      case 'closed':
        throw new Problem('account_closed', 'This account is closed.');
      default:
        throw new Error(`unreachable: ${verdict satisfies never}`);
    }
  }

  /** Names the entries whose reference an earlier message has. */
  private async usedReferences({ accountId }: KeyHolder, { drafts, isBatch }: Submission): Promise<FieldFault[]> {
    const references = drafts.flatMap(({ reference }) => reference ?? []);
    const used = await usedReferences(this.database, accountId, references);
    return drafts.flatMap(({ reference }, index) =>
      reference !== undefined && used.has(reference)
        ? [referenceUsed(reference, isBatch ? index : undefined, 'An earlier message has')]
        : [],
    );
  }

  private async replayOf(account: KeyHolder, { key, fingerprint }: IdempotencyKey): Promise<Acceptance | undefined> {
    const known = await findKeyedRequest(this.database, account.accountId, key);
    if (known === undefined || !known.fingerprint.equals(fingerprint)) return undefined;
    return this.replay(account, known.firstSequence, known.orderCount);
  }

  private async replay(account: KeyHolder, firstSequence: bigint, orderCount: number): Promise<Acceptance> {
    const orders = await acceptedOrders(this.database, account.accountId, firstSequence, orderCount);
    return { orders, total: orders.reduce((sum, { price }) => sum + price, 0n), isReplay: true };
  }
}

function insufficientBalance(balance: Micros, required: Micros, currency: string): Problem {
  return new Problem(
    'insufficient_balance',
    `The balance is ${formatMicros(balance)} ${currency}; this costs ${formatMicros(required)} ${currency}.`,
    { members: { balance, required, currency } },
  );
}
