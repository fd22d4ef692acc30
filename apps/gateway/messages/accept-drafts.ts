import { Inject, Injectable } from '@nestjs/common';
import { v7 as uuidV7 } from 'uuid';
import { Overloaded } from '#batching';
import { formatMicros, type MessageQuote, type Micros, type Replacement } from '#billing';
import type { Config } from '#config';
import {
  acceptedOrders,
  batchFrom,
  Database,
  findAccountGuards,
  findKeyedRequest,
  type KeyHolder,
  type PricedMessage,
} from '#persistence';
import { type GuardedSend, GuardSends } from '../guards/guard-sends.js';
import { ApiKeys } from '../http/api-keys.js';
import { batchTooLarge } from '../http/limits.js';
import { Problem, problemOf } from '../http/problem.js';
import { tooManyMessages } from '../http/rate-limited.js';
import { RateStandings } from '../http/rate-standings.js';
import { CONFIG } from '../injected.js';
import { GatewayMetrics } from '../operator/gateway-metrics.js';
import { RouteBook } from '../routes/route-book.js';
import { TariffBook } from '../tariffs/tariff-book.js';
import { DirectDispatch } from './direct-dispatch.js';
import { GroupCommit, type Verdict } from './group-commit.js';
import type { IdempotencyKey } from './idempotency.js';
import type { SendEntry } from './messages.dto.js';
import { priceDrafts } from './price-drafts.js';
import type { Submission } from './submission.js';
import { usedReferenceFaults } from './unique-references.js';

/** Guards that change again and again while a send is judged. */
const GUARD_TRIES_MAX = 5;

export interface AcceptedOrder {
  readonly id: string;
  readonly recipient: string;
  readonly price: Micros;
  readonly reference?: string | undefined;
  readonly tag?: string | undefined;
  /** The time for which it is scheduled. */
  readonly sendAt?: Date | undefined;
  /** What was replaced in its text, if the client has asked for that. */
  readonly replacements?: readonly Replacement[] | undefined;
}

export interface Acceptance {
  readonly orders: readonly AcceptedOrder[];
  /** Undefined: it is no batch, or one of a version that gave batches no id. */
  readonly batchId: string | undefined;
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
    private readonly guards: GuardSends,
    private readonly keys: ApiKeys,
    @Inject(CONFIG) private readonly config: Config,
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
    tries = 1,
  ): Promise<Acceptance> {
    const tariff = await this.tariffs.tariff(account.tariffId);
    const routing = await this.routes.routing();
    const tooLarge = submission.isBatch ? batchTooLarge(submission.drafts, this.config) : undefined;
    let quotes: MessageQuote[];
    try {
      const priced = priceDrafts(submission, { account, tariff, routing, nowMs: Date.now() });
      quotes = priced instanceof Promise ? await priced : priced;
      // Not before: pricing notes what was replaced in the texts, and the answer to a repeat says it again.
      if (tooLarge !== undefined) throw tooLarge;
    } catch (problem) {
      // Prices, routes and limits may have changed since the first time; a repeat is answered as it was then.
      const replay = await this.replayOf(account, submission, idempotencyKey);
      if (replay === undefined) {
        if (tooLarge !== undefined) throw tooLarge;
        this.guards.note(problem);
        throw problem;
      }
      return replay;
    }
    const messages = quotes.map((quote, index): PricedMessage => {
      const draft = submission.drafts[index] as SendEntry;
      const { recipient, message, reference, tag } = draft;
      return {
        id: uuidV7(),
        recipient,
        destination: quote.destination,
        message,
        extended: quote.encoding === 'extended',
        segments: quote.segments,
        price: quote.price,
        reference,
        tag,
        sendAt: draft.sendAtTime,
        validitySeconds: draft.validitySeconds,
        sender: draft.sender,
      };
    });
    const total = messages.reduce((sum, { price }) => sum + price, 0n);
    const [message, ...others] = messages;
    const isDirect = message !== undefined && others.length === 0 && message.sendAt === undefined;
    const carrier = isDirect ? this.direct.carrierFor(account, message) : undefined;
    const batchId = submission.isBatch ? uuidV7() : undefined;
    const prepared = this.guards.prepare(account, messages);
    let guarded: GuardedSend | undefined;
    try {
      guarded = prepared instanceof Promise ? await prepared : prepared;
    } catch (problem) {
      // This gateway lacks the key for secrets; the answer to a repeat does not need it.
      const replay = await this.replayOf(account, submission, idempotencyKey);
      if (replay === undefined) throw problem;
      return replay;
    }
    const asked = this.commits.accept(account.accountId, {
      messages,
      total,
      labels: submission.labels,
      batchId,
      ...(carrier === undefined ? { inBacklog: !messages.every(({ sendAt }) => sendAt) } : { carrier }),
      ...(guarded && { guards: guarded.request }),
      ...(idempotencyKey && { idempotencyKey }),
    });
    const verdict = await (guarded === undefined ? asked : this.verdictOf(guarded, asked));
    switch (verdict.kind) {
      case 'accepted':
        if (verdict.aheadMs !== undefined) this.standings.note(account.accountId, verdict.aheadMs);
        if (!account.isTest) this.metrics.accepted.inc(messages.length);
        return { orders: withReplacements(messages, submission), batchId, total, isReplay: false };
      case 'replayed':
        return this.replay(account, submission, verdict.firstSequence, verdict.orderCount);
      case 'key_reused':
        throw new Problem('idempotency_key_reused', 'This Idempotency-Key was used with another payload.');
      case 'reference_used':
        throw problemOf(await usedReferenceFaults(this.database, account.accountId, submission));
      case 'insufficient_balance':
        throw insufficientBalance(verdict.balance, total, account.currency);
      case 'rate_limited':
        this.standings.note(account.accountId, verdict.aheadMs);
        throw tooManyMessages(account.rateLimitPerSecond ?? 1, verdict.retryAfterMs);
      case 'suspended':
        throw new Problem('account_suspended', 'This account is suspended. Ask the operator.');
      case 'closed':
        throw new Problem('account_closed', 'This account is closed.');
      case 'guards_changed':
        return this.acceptAnew(account, submission, idempotencyKey, tries);
      case 'opted_out':
      case 'velocity':
      case 'spend_day':
      case 'spend_month':
        throw this.guards.problemOf(verdict, guarded, submission.isBatch, total, account.currency);
      default:
        throw new Error(`unreachable: ${verdict satisfies never}`);
    }
  }

  /** The guards were changed after the account was looked up: judges by the new ones. */
  private async acceptAnew(
    account: KeyHolder,
    submission: Submission,
    idempotencyKey: IdempotencyKey | undefined,
    tries: number,
  ): Promise<Acceptance> {
    if (tries >= GUARD_TRIES_MAX) throw new Overloaded(1);
    this.keys.forget(account.accountId);
    const guards = await findAccountGuards(this.database, account.accountId);
    return this.accept({ ...account, ...guards }, submission, idempotencyKey, tries + 1);
  }

  /** What the send counts for guards is given back if it was not accepted. */
  private async verdictOf(guarded: GuardedSend, asked: Promise<Verdict>): Promise<Verdict> {
    try {
      const verdict = await asked;
      if (verdict.kind !== 'accepted') this.guards.giveBack(guarded);
      return verdict;
    } catch (problem) {
      // Any other fault may have come after the commit.
      if (problem instanceof Overloaded) this.guards.giveBack(guarded);
      throw problem;
    }
  }

  /** The answer to the first time; undefined: this is no repeat. */
  private async replayOf(
    account: KeyHolder,
    submission: Submission,
    idempotencyKey: IdempotencyKey | undefined,
  ): Promise<Acceptance | undefined> {
    const known = idempotencyKey && (await findKeyedRequest(this.database, account.accountId, idempotencyKey));
    return known && this.replay(account, submission, known.firstSequence, known.orderCount);
  }

  private async replay(
    { accountId }: KeyHolder,
    submission: Submission,
    firstSequence: bigint,
    orderCount: number,
  ): Promise<Acceptance> {
    const accepted = await acceptedOrders(this.database, accountId, firstSequence, orderCount);
    const batchId = submission.isBatch ? await batchFrom(this.database, accountId, firstSequence) : undefined;
    // The request is the same; what is stored of its numbers may have been redacted since.
    const asSent = accepted.map((order, index) => ({ ...order, recipient: submission.drafts[index]?.recipient ?? '' }));
    const orders = withReplacements(asSent, submission);
    return { orders, batchId, total: orders.reduce((sum, { price }) => sum + price, 0n), isReplay: true };
  }
}

/** The orders with what was replaced in the texts of their drafts. */
function withReplacements(orders: readonly AcceptedOrder[], { drafts }: Submission): readonly AcceptedOrder[] {
  if (!drafts.some(({ smartEncoding }) => smartEncoding)) return orders;
  return orders.map((order, index) => ({ ...order, replacements: drafts[index]?.replacements }));
}

function insufficientBalance(balance: Micros, required: Micros, currency: string): Problem {
  return new Problem(
    'insufficient_balance',
    `The balance is ${formatMicros(balance)} ${currency}; this costs ${formatMicros(required)} ${currency}.`,
    { members: { balance, required, currency } },
  );
}
