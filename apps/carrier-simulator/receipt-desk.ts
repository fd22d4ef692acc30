import type { Counters } from './counters.js';
import { DueReceipts } from './due-receipts.js';
import { Fifo } from './fifo.js';
import type { Behaviour } from './options.js';
import { Status } from './pdu-fields.js';
import type { Delivery } from './pdu-writing.js';
import { deliveryOf, type Receipt } from './receipt.js';
import type { ReceiptRecord, Records } from './records.js';
import type { Timers } from './timers.js';

/** A bind that can receive receipts. */
export interface ReceivingBind {
  readonly id: number;
  readonly systemId: string;
  /** The peer does not read. */
  readonly isCongested: boolean;
  /** @returns the sequence number of the deliver_sm */
  deliver(delivery: Delivery): number;
}

interface Sent {
  readonly receipt: Receipt;
  readonly record: ReceiptRecord | undefined;
  readonly sentAtMs: number;
}

interface Lane {
  readonly bind: ReceivingBind;
  readonly queue: Fifo<Receipt>;
  /** By sequence number, oldest first. */
  readonly unacknowledged: Map<number, Sent>;
}

const SWEEP_EVERY_MS = 100;

/**
 * Keeps every receipt until the client acknowledges it with ESME_ROK. A receipt goes to the bind that submitted the
 * message, if that bind can receive; else to the least busy bind of the same system_id; else it waits for one. A lost
 * connection does not count as a try. Silence and refusals do, and after the last try the receipt is dropped.
 */
export class ReceiptDesk {
  private readonly lanes = new Map<number, Lane>();
  private readonly homeless = new Map<string, Fifo<Receipt>>();
  private readonly due: DueReceipts;
  private readonly sweeper = setInterval(() => this.sweep(), SWEEP_EVERY_MS);
  private pendingCount = 0;

  constructor(
    private readonly behaviour: () => Behaviour,
    timers: Timers,
    private readonly records: Records,
    private readonly counters: Counters,
  ) {
    this.due = new DueReceipts(timers, (receipts) => this.assignAll(receipts));
    this.sweeper.unref();
  }

  /** Receipts that are not acknowledged yet, also those that are not due yet. */
  get pending(): number {
    return this.pendingCount;
  }

  schedule(receipt: Receipt, delayMs: number): void {
    this.pendingCount++;
    this.due.add(receipt, delayMs);
  }

  opened(bind: ReceivingBind): void {
    const lane = { bind, queue: new Fifo<Receipt>(), unacknowledged: new Map<number, Sent>() };
    this.lanes.set(bind.id, lane);
    const waiting = this.homeless.get(bind.systemId);
    this.homeless.delete(bind.systemId);
    for (let receipt = waiting?.shift(); receipt !== undefined; receipt = waiting?.shift()) lane.queue.push(receipt);
    this.pump(lane);
  }

  closed(bind: ReceivingBind): void {
    const lane = this.lanes.get(bind.id);
    if (lane === undefined) return;
    this.lanes.delete(bind.id);
    for (const { receipt } of lane.unacknowledged.values()) this.assign(receipt);
    for (let receipt = lane.queue.shift(); receipt !== undefined; receipt = lane.queue.shift()) this.assign(receipt);
  }

  /** The peer reads again. */
  drained(bind: ReceivingBind): void {
    const lane = this.lanes.get(bind.id);
    if (lane !== undefined) this.pump(lane);
  }

  acknowledged(bind: ReceivingBind, sequence: number, status: number): void {
    const lane = this.lanes.get(bind.id);
    const sent = lane?.unacknowledged.get(sequence);
    if (lane === undefined || sent === undefined) return;
    lane.unacknowledged.delete(sequence);
    if (status === Status.ESME_ROK) {
      this.pendingCount--;
      this.counters.receiptsAcknowledged++;
    } else {
      this.tryAgain(sent.receipt, this.behaviour().receiptRetryMs);
    }
    if (sent.record !== undefined) this.records.acknowledge(sent.record, bind.id, status);
    this.pump(lane);
  }

  close(): void {
    clearInterval(this.sweeper);
    this.lanes.clear();
    this.homeless.clear();
  }

  private assignAll(receipts: readonly Receipt[]): void {
    for (const receipt of receipts) this.assign(receipt);
  }

  private assign(receipt: Receipt): void {
    const lane = this.lanes.get(receipt.submittedBy) ?? this.leastBusy(receipt.systemId);
    if (lane !== undefined) {
      lane.queue.push(receipt);
      this.pump(lane);
      return;
    }
    const waiting = this.homeless.get(receipt.systemId) ?? new Fifo<Receipt>();
    waiting.push(receipt);
    this.homeless.set(receipt.systemId, waiting);
  }

  private leastBusy(systemId: string): Lane | undefined {
    let best: Lane | undefined;
    for (const lane of this.lanes.values()) {
      if (lane.bind.systemId !== systemId) continue;
      if (best === undefined || loadOf(lane) < loadOf(best)) best = lane;
    }
    return best;
  }

  private pump(lane: Lane): void {
    const behaviour = this.behaviour();
    while (lane.unacknowledged.size < behaviour.receiptWindowSize && !lane.bind.isCongested) {
      const receipt = lane.queue.shift();
      if (receipt === undefined) return;
      const delivery = deliveryOf(receipt, behaviour);
      const sequence = lane.bind.deliver(delivery);
      const record = this.records.isOn ? this.record(lane.bind, sequence, receipt, delivery) : undefined;
      lane.unacknowledged.set(sequence, { receipt, record, sentAtMs: performance.now() });
      this.counters.receiptsSent++;
    }
  }

  private record(bind: ReceivingBind, sequence: number, receipt: Receipt, delivery: Delivery): ReceiptRecord {
    const record: ReceiptRecord = {
      kind: 'receipt',
      atMs: Date.now(),
      bind: bind.id,
      systemId: bind.systemId,
      sequence,
      messageId: receipt.messageId,
      aboutId: receipt.aboutId,
      receiptId: receipt.receiptId,
      destination: receipt.handset.value,
      state: receipt.state,
      text: delivery.shortMessage,
      userMessageReference: delivery.userMessageReference,
      attempt: receipt.failedTries + 1,
      acknowledgedStatus: undefined,
    };
    this.records.add(record);
    return record;
  }

  private tryAgain(receipt: Receipt, afterMs: number): void {
    receipt.failedTries++;
    if (receipt.failedTries < this.behaviour().receiptTriesMax) {
      this.due.add(receipt, afterMs);
    } else {
      this.pendingCount--;
      this.counters.receiptsDropped++;
    }
  }

  private sweep(): void {
    const dueBefore = performance.now() - this.behaviour().receiptRetryMs;
    for (const lane of this.lanes.values()) {
      for (const [sequence, sent] of lane.unacknowledged) {
        if (sent.sentAtMs > dueBefore) break;
        lane.unacknowledged.delete(sequence);
        this.tryAgain(sent.receipt, 0);
      }
      this.pump(lane);
    }
  }
}

function loadOf(lane: Lane): number {
  return lane.queue.length + lane.unacknowledged.size;
}
