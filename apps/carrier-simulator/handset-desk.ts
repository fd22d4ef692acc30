import type { Counters } from './counters.js';
import { Fifo } from './fifo.js';
import { deliveriesOf, type HandsetMessage } from './handset-messages.js';
import type { Behaviour } from './options.js';
import { Status } from './pdu-fields.js';
import type { Delivery } from './pdu-writing.js';
import type { ReceivingBind } from './receipt-desk.js';
import type { InboundRecord, Records } from './records.js';
import type { Timers } from './timers.js';

interface Waiting {
  readonly message: HandsetMessage;
  readonly delivery: Delivery;
  readonly record: Omit<InboundRecord, 'atMs' | 'bind' | 'sequence' | 'attempt'>;
  attempts: number;
}

interface Sent {
  readonly waiting: Waiting;
  readonly sentAtMs: number;
}

const SWEEP_EVERY_MS = 100;

/**
 * Keeps every message of a handset until the client acknowledges it with ESME_ROK: after silence, a refusal or a lost
 * connection it is delivered again, by any bind of its system_id that can receive.
 */
export class HandsetDesk {
  private readonly binds = new Map<ReceivingBind, Map<number, Sent>>();
  private readonly queue = new Fifo<Waiting>();
  private readonly sweeper = setInterval(() => this.sweep(), SWEEP_EVERY_MS);
  private references = 0;
  private messages = 0;
  private pendingCount = 0;

  constructor(
    private readonly behaviour: () => Behaviour,
    private readonly timers: Timers,
    private readonly records: Records,
    private readonly counters: Counters,
  ) {
    this.sweeper.unref();
  }

  /** Parts of messages that are not acknowledged yet. */
  get pending(): number {
    return this.pendingCount;
  }

  /** @returns the number of the message, which its records have */
  send(message: HandsetMessage): number {
    const number = ++this.messages;
    const deliveries = deliveriesOf(message, ++this.references);
    deliveries.forEach((delivery, index) => {
      const { from, to, text } = message;
      const record = { kind: 'inbound', number, from, to, text, part: index + 1, parts: deliveries.length } as const;
      this.pendingCount++;
      this.queue.push({ message, delivery, record, attempts: 0 });
    });
    this.pump();
    return number;
  }

  opened(bind: ReceivingBind): void {
    this.binds.set(bind, new Map());
    this.pump();
  }

  closed(bind: ReceivingBind): void {
    const sent = this.binds.get(bind);
    this.binds.delete(bind);
    for (const { waiting } of sent?.values() ?? []) this.queue.push(waiting);
    this.pump();
  }

  acknowledged(bind: ReceivingBind, sequence: number, status: number): void {
    const sent = this.binds.get(bind)?.get(sequence);
    if (sent === undefined) return;
    this.binds.get(bind)?.delete(sequence);
    if (status === Status.ESME_ROK) {
      this.pendingCount--;
      this.counters.inboundAcknowledged++;
    }
    this.records.acknowledgeInbound(sent.waiting.record, bind, sequence, status);
    if (status !== Status.ESME_ROK) {
      this.timers.after(this.behaviour().receiptRetryMs, () => {
        this.queue.push(sent.waiting);
        this.pump();
      });
    }
  }

  close(): void {
    clearInterval(this.sweeper);
    this.binds.clear();
  }

  private pump(): void {
    for (let left = this.queue.length; left > 0; left--) {
      const waiting = this.queue.shift();
      if (waiting === undefined) return;
      const bind = this.bindFor(waiting.message.systemId);
      if (bind === undefined) this.queue.push(waiting);
      else this.deliver(bind, waiting);
    }
  }

  private deliver(bind: ReceivingBind, waiting: Waiting): void {
    const sequence = bind.deliver(waiting.delivery);
    waiting.attempts++;
    this.binds.get(bind)?.set(sequence, { waiting, sentAtMs: performance.now() });
    this.counters.inboundSent++;
    if (!this.records.isOn) return;
    this.records.add({ ...waiting.record, atMs: Date.now(), bind: bind.id, sequence, attempt: waiting.attempts });
  }

  /** The bind with the fewest unacknowledged messages. */
  private bindFor(systemId: string | undefined): ReceivingBind | undefined {
    let best: ReceivingBind | undefined;
    for (const [bind, sent] of this.binds) {
      if (bind.isCongested || (systemId !== undefined && bind.systemId !== systemId)) continue;
      if (best === undefined || sent.size < (this.binds.get(best)?.size ?? 0)) best = bind;
    }
    return best;
  }

  private sweep(): void {
    const dueBefore = performance.now() - this.behaviour().receiptRetryMs;
    for (const sent of this.binds.values()) {
      for (const [sequence, { waiting, sentAtMs }] of sent) {
        if (sentAtMs > dueBefore) continue;
        sent.delete(sequence);
        this.queue.push(waiting);
      }
    }
    this.pump();
  }
}
