import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type {
  BindState,
  CarrierDependencies,
  CarrierReceipt,
  OutboundSegment,
  SubmitOutcome,
  WireFormat,
} from '../carrier.js';
import { PacedCarrier } from '../pace/paced-carrier.js';
import { Requests } from '../pace/requests.js';
import { outcomeOf } from './outcomes.js';

const WIRE_FORMAT: WireFormat = { unit: 'segment', text: 'sandbox' };
/** How soon a receipt that could not be stored is sent again, as a carrier does. */
const RECEIPT_RETRY_MS = 1_000;

export interface SandboxSettings {
  readonly name: string;
  readonly windowSize: number;
  readonly submitsPerSecond?: number;
}

/**
 * The carrier of test mode: it lives in the worker, reaches nobody, and answers by the recipient's number. Its receipts
 * are in memory only. It sends those that are due when it is closed; a worker that dies takes its receipts with it.
 */
export class SandboxCarrier extends PacedCarrier {
  state: BindState = 'down';
  private readonly requests: Requests;
  /** Receipts that have not been stored yet; each call stores one at once. */
  private readonly waiting = new Map<NodeJS.Timeout, () => Promise<void>>();
  private closed: Promise<void> | undefined;

  constructor(
    settings: SandboxSettings,
    private readonly dependencies: CarrierDependencies,
  ) {
    super(settings.name, WIRE_FORMAT, settings.submitsPerSecond, dependencies);
    this.requests = new Requests(
      () => (this.state === 'bound' ? settings.windowSize : 0),
      (segment) => this.submit(segment),
    );
    this.slots.open(this.requests);
  }

  start(): void {
    this.become('bound');
  }

  close(graceMs: number): Promise<void> {
    this.closed ??= this.finish(graceMs);
    return this.closed;
  }

  private async finish(graceMs: number): Promise<void> {
    this.become('closing');
    this.slots.close();
    await this.requests.untilIdle(graceMs);
    const due = [...this.waiting];
    this.waiting.clear();
    for (const [timer] of due) clearTimeout(timer);
    await Promise.allSettled(due.map(([, store]) => store()));
    this.become('down');
  }

  private become(state: BindState): void {
    this.state = state;
    this.dependencies.onStateChange?.(state);
    this.slots.progress();
  }

  private async submit({ destination, part, userMessageReference }: OutboundSegment): Promise<SubmitOutcome> {
    const { answerAfterMs, refusal, receiptAfterMs, failure } = outcomeOf(destination);
    await delay(answerAfterMs);
    this.dependencies.onSubmit?.(answerAfterMs, refusal === undefined ? 'accepted' : 'refused');
    if (refusal !== undefined) return { kind: 'refused', code: refusal };
    const carrierMessageId = randomUUID();
    if (receiptAfterMs !== undefined) {
      const isLast = part === undefined || part.number === part.total;
      const failed = failure?.onlyLastSegment === true && !isLast ? undefined : failure;
      this.sendLater(receiptAfterMs, {
        carrierMessageId,
        userMessageReference,
        destination,
        state: failed === undefined ? 'delivered' : 'undelivered',
        code: failed?.code ?? 'DELIVRD',
      });
    }
    return { kind: 'accepted', carrierMessageId };
  }

  private sendLater(waitMs: number, receipt: CarrierReceipt): void {
    const store = () => this.dependencies.onReceipt(receipt);
    const timer = setTimeout(() => {
      this.waiting.delete(timer);
      store().catch(() => {
        if (this.closed === undefined) this.sendLater(RECEIPT_RETRY_MS, receipt);
      });
    }, waitMs);
    this.waiting.set(timer, store);
  }
}
