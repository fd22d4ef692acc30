import { Inject, Injectable } from '@nestjs/common';
import { v7 as uuidV7 } from 'uuid';
import type { MessageQuote } from '#billing';
import type { Config } from '#config';
import { Database, type KeyHolder, type PricedMessage } from '#persistence';
import { type GuardedSend, GuardSends } from '../guards/guard-sends.js';
import { batchTooLarge } from '../http/limits.js';
import { RateStandings } from '../http/rate-standings.js';
import { CONFIG } from '../injected.js';
import { GatewayMetrics } from '../operator/gateway-metrics.js';
import { EnqueueOrders } from './enqueue-orders.js';
import { GroupCommit } from './group-commit.js';
import type { IdempotencyKey } from './idempotency.js';
import type { SendEntry } from './messages.dto.js';
import { RefuseSend } from './refuse-send.js';
import { replay, replayOf } from './replay-request.js';
import { SendRules } from './send-rules.js';
import { type Acceptance, type AcceptedOrder, priceDrafts, type Submission } from './submission.js';

/** USE CASE: checks and prices messages, and charges and stores them in one commit. `GroupCommit` enqueues them. */
@Injectable()
export class AcceptDrafts {
  constructor(
    private readonly database: Database,
    private readonly rules: SendRules,
    private readonly commits: GroupCommit,
    private readonly queue: EnqueueOrders,
    private readonly metrics: GatewayMetrics,
    private readonly standings: RateStandings,
    private readonly guards: GuardSends,
    private readonly refuse: RefuseSend,
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
    const rules = await this.rules.of(account);
    const tooLarge = submission.isBatch ? batchTooLarge(submission.drafts, this.config) : undefined;
    let messages: (PricedMessage & AcceptedOrder)[];
    let guarded: GuardedSend | undefined;
    try {
      const quotes = await priceDrafts(submission, rules);
      // Not before: pricing notes what was replaced in the texts, and the answer to a repeat says it again.
      if (tooLarge !== undefined) throw tooLarge;
      messages = quotes.map((quote, index) => pricedMessage(quote, submission.drafts[index] as SendEntry));
      guarded = await this.guards.prepare(account, messages);
    } catch (problem) {
      // Prices, routes and limits may have changed since the first time, and this gateway may lack the secrets key
      // that guards need; a repeat is answered as it was then.
      const first = await replayOf(this.database, account, submission, idempotencyKey);
      if (first !== undefined) return first;
      const refusal = tooLarge ?? problem;
      this.guards.note(refusal, account);
      throw refusal;
    }
    const total = messages.reduce((sum, { price }) => sum + price, 0n);
    const single = messages.length === 1 ? messages[0] : undefined;
    const carrier = single && single.sendAt === undefined ? this.queue.carrierFor(account, single) : undefined;
    const batchId = submission.isBatch ? uuidV7() : undefined;
    const asked = this.commits.accept(account.accountId, {
      messages,
      total,
      uniqueReferences: submission.uniqueReferences,
      batchId,
      carrier,
      inBacklog: carrier === undefined && messages.some(({ sendAt }) => sendAt === undefined),
      guards: guarded?.request,
      idempotencyKey,
    });
    const verdict = await (guarded === undefined ? asked : this.guards.settled(guarded, asked));
    if ('aheadMs' in verdict && verdict.aheadMs !== undefined) this.standings.note(account.accountId, verdict.aheadMs);
    switch (verdict.kind) {
      case 'accepted':
        if (!account.isTest) this.metrics.accepted.inc(messages.length);
        return { orders: messages, batchId, total, isReplay: false };
      case 'replayed':
        return replay(this.database, account, submission, verdict);
      case 'guards_changed':
        return this.accept(await this.guards.reread(account, tries), submission, idempotencyKey, tries + 1);
      default:
        throw await this.refuse.problemOf(verdict, { account, submission, guarded, total });
    }
  }
}

/** Field by field: of what is spread and gets as many fields more, V8 makes a dictionary, which is slow to read. */
function pricedMessage(quote: MessageQuote, draft: SendEntry): PricedMessage & AcceptedOrder {
  return {
    id: uuidV7(),
    recipient: draft.recipient,
    destination: quote.destination,
    message: draft.message,
    encoding: quote.encoding,
    segments: quote.segments,
    price: quote.price,
    reference: draft.reference,
    tag: draft.tag,
    sendAt: draft.sendAtTime,
    validitySeconds: draft.validitySeconds,
    sender: draft.sender,
    replacements: draft.replacements,
  };
}
