import { Injectable } from '@nestjs/common';
import { planSegments } from '#billing';
import type { SubmitOutcome, SubmitSlot } from '#carrier';
import {
  type ClaimedOrder,
  claimedText,
  Database,
  SANDBOX_CARRIER_ID,
  type SubmitResult,
  segmentReference,
  TextUnreadable,
} from '#persistence';
import type { JobLane } from '#queue';
import { MessageTraces } from '#telemetry';
import { CarrierPool } from '../carriers/carrier-pool.js';
import type { PooledCarrier } from '../carriers/pooled-carrier.js';
import { RepeatedFaults } from '../operations/repeated-faults.js';
import { WorkerMetrics } from '../operations/worker-metrics.js';
import { backOffMs } from './back-off.js';
import { DispatchWrites } from './dispatch-writes.js';
import { LongMessages, nothingSubmitted, type Submit } from './long-messages.js';
import { OwnedOrders } from './owned-orders.js';
import { traceClaim, traceSubmit } from './trace-dispatch.js';

/** `pending`: the carrier did not take it, and it may be tried again. */
const RECORDED_AS = {
  accepted: 'accepted',
  refused: 'refused',
  'in-doubt': 'in_doubt',
  'not-sent': 'pending',
  throttled: 'pending',
  temporary: 'pending',
} as const satisfies Record<SubmitOutcome['kind'], SubmitResult['kind']>;

/**
 * USE CASE: claims an order, submits its open segments, exactly the ones that were billed, and records what the carrier
 * answered to each. The claim alone says how a message is written, even if the carrier has other settings now. If it
 * says that a message goes whole, the first segment stands for all.
 */
@Injectable()
export class DispatchOrders {
  constructor(
    private readonly database: Database,
    private readonly pool: CarrierPool,
    private readonly writes: DispatchWrites,
    private readonly owned: OwnedOrders,
    private readonly longMessages: LongMessages,
    private readonly faults: RepeatedFaults,
    private readonly metrics: WorkerMetrics,
    private readonly traces: MessageTraces,
  ) {}

  /**
   * Resolves when the order is claimed; what the carrier answers is recorded when it comes.
   *
   * @param slot which this uses or gives back
   */
  async dispatch(id: string, lane: JobLane, carrier: PooledCarrier, slot: SubmitSlot): Promise<void> {
    const startMs = Date.now();
    let order: ClaimedOrder | undefined;
    try {
      order = await this.writes.claim(id, carrier.id, slot.format);
    } finally {
      // Another worker has the order, or it is over.
      if (order === undefined) slot.release();
    }
    if (order === undefined) return;
    traceClaim(this.traces, order, carrier.stored.name, startMs);
    const isOfTestKey = carrier.id === SANDBOX_CARRIER_ID;
    if (order.waitedSeconds !== null && !isOfTestKey) this.metrics.dispatched(lane, order.waitedSeconds);
    // Whatever goes wrong, no slot is lost.
    const work = this.submit(order, carrier, slot).finally(() => slot.release());
    this.owned.during(id, work, isOfTestKey).catch((fault: unknown) => this.faults.notDispatched(fault));
  }

  /** The claim has recorded the first open segment as submitting already. */
  private async submit(order: ClaimedOrder, carrier: PooledCarrier, slot: SubmitSlot): Promise<void> {
    const { writes } = this;
    const [position, ...otherPositions] = order.openPositions;
    if (position === undefined) return writes.record(nothingSubmitted(order, 'NOTHING_OPEN', 0), slot);
    let submit: Submit;
    try {
      submit = await this.prepare(order, carrier);
    } catch (error) {
      const kind = error instanceof TextUnreadable ? 'temporary' : 'not-sent';
      await writes.record(resultOf(order, position, { kind, code: 'NOT_PREPARED' }), slot);
      throw error;
    }
    if (otherPositions.length === 0) await writes.record(await submit(slot, position), slot);
    else await this.longMessages.submit(order, slot, carrier.id, submit);
  }

  /**
   * Prepares the submit of each segment. Only a message of several segments may need the database for it.
   *
   * @throws TextUnreadable when this worker cannot read the text: the message waits for one that can
   */
  private async prepare(order: ClaimedOrder, carrier: PooledCarrier): Promise<Submit> {
    const message = claimedText(this.database, order);
    const { segments, encoding } = planSegments(message);
    const isCut = !order.whole && order.segments > 1;
    const reference = isCut ? await this.longMessages.concatenationReference(order) : undefined;
    const answered = (position: number, outcome: SubmitOutcome) => {
      const taken = order.whole ? order.segments : 1;
      if (outcome.kind === 'accepted') this.pool.countTaken(carrier, order.destination, taken);
      return resultOf(order, position, outcome);
    };
    return async (slot, position) => {
      const startMs = Date.now();
      const outcome = await slot.submit(
        {
          destination: order.destination,
          encoding,
          text: order.whole ? message : (segments[position - 1] ?? ''),
          sender: order.sender ?? undefined,
          isWhole: order.whole,
          format: order.format ?? undefined,
          validitySeconds: order.validitySeconds ?? undefined,
          userMessageReference: segmentReference(order.id, position),
          ...(reference !== undefined && { part: { reference, number: position, total: order.segments } }),
        },
        // It counts as long as nobody has claimed the order anew. Other segments may still be on their way.
        (late) => {
          this.writes.record({ ...answered(position, late), done: false }).catch(() => undefined);
        },
      );
      traceSubmit(this.traces, order, carrier.stored.name, position, startMs, outcome);
      return answered(position, outcome);
    };
  }
}

/** What is recorded of the only open segment of an order. */
function resultOf({ id, epoch }: ClaimedOrder, position: number, outcome: SubmitOutcome): SubmitResult {
  const kind = RECORDED_AS[outcome.kind];
  const answer = outcome.kind === 'accepted' ? outcome.carrierMessageId : outcome.code;
  const retryAfterMs = kind === 'pending' ? backOffMs(outcome.kind, epoch) : 0;
  return { id, position, epoch, kind, answer, done: true, retryAfterMs };
}
