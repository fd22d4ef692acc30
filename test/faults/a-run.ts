import { type OrderState, planSegments } from '#billing';
import { check } from '../../tools/faults/check/checker.js';
import type {
  Bounds,
  Evidence,
  StoredOrder,
  StoredSegment,
  StoredTransition,
  Violation,
} from '../../tools/faults/check/evidence.js';
import { type CarrierLine, CarrierLogBuilder } from '../../tools/faults/history/carrier-log.js';
import { type AttemptRecord, type HistoryRecord, historyOf } from '../../tools/faults/history/history.js';
import type { HeardEvents } from '../../tools/harness/event-receiver.js';

const UNIT_PRICE = 10_000n;
const ACCOUNT = '1001';
const DEPOSIT = 1_000_000n;

/**
 * A made-up run in which all is well: three sends, one of them a batch and one with two segments. What is spoilt in it,
 * the checker has to find.
 */
export class ARun {
  records: HistoryRecord[] = [];
  orders: StoredOrder[] = [];
  segments: StoredSegment[] = [];
  transitions: StoredTransition[] = [];
  carrier: CarrierLine[] = [];
  unmatched = new Set<string>();
  ledgerFault: string | undefined;
  /** Statuses that nobody was told of, and changes that never were. */
  readonly untold = new Set<OrderState>();
  readonly invented: string[] = [];
  /** Changes that a second event told of. */
  readonly toldAgain: string[] = [];
  /** Events of completed batches. */
  readonly heardBatches = new Map([['evt_1', { batchId: 'b-s2', messages: 2 }]]);
  private receipts = 0;

  constructor() {
    this.send(1, ['s1.0'], 1);
    this.send(2, ['s2.0', 's2.1'], 1);
    this.send(3, ['s3.0'], 2);
  }

  /** A send that is accepted at once, stored, taken, and delivered. */
  send(send: number, names: readonly string[], segments: number): void {
    const messages = names.map((name) => ({ name, recipient: '+49151', segments }));
    const isBatch = names.length > 1;
    this.records.push({ kind: 'send', atMs: send, send, account: ACCOUNT, key: `k${send}`, isBatch, messages });
    const amounts = names.map(() => String(BigInt(segments) * UNIT_PRICE));
    this.attempt(send, { outcome: 'ok', ids: names.map(idOf), amounts });
    for (const name of names) {
      this.order(name, segments, 'delivered');
      for (let position = 1; position <= segments; position += 1) {
        this.taken(name, position, `c-${name}-${position}`);
        this.receipt(`c-${name}-${position}`);
        this.segments.push({ orderId: idOf(name), position, state: 'delivered' });
      }
    }
  }

  attempt(send: number, end: Partial<AttemptRecord> & Pick<AttemptRecord, 'outcome'>): void {
    const attempt = this.records.filter((record) => record.kind === 'attempt' && record.send === send).length + 1;
    this.records.push({ kind: 'attempt', atMs: send, endedAtMs: send + 1, send, attempt, gateway: 0, ...end });
  }

  order(name: string, segments: number, state: OrderState, id = idOf(name)): void {
    const price = BigInt(segments) * UNIT_PRICE;
    this.orders.push({
      id,
      account: ACCOUNT,
      name,
      message: textOf(name, segments),
      segments,
      price,
      amount: price,
      state,
    });
    const way: OrderState[] = ['queued', 'sending', 'sent', 'delivered'];
    const end = way.indexOf(state);
    way.slice(0, end).forEach((from, step) => {
      this.transitions.push({ orderId: id, from, to: way[step + 1] ?? state });
    });
  }

  taken(name: string, position: number, messageId: string, atMs = 1): void {
    const parts = planSegments(this.orders.find((order) => order.name === name)?.message ?? '').segments;
    this.submit(
      messageId,
      parts[position - 1] ?? '',
      parts.length > 1 ? { part: position, total: parts.length } : undefined,
      atMs,
    );
  }

  /** What the carrier took, whatever was billed. */
  submit(
    messageId: string,
    text: string,
    part?: { part: number; total: number; by?: string; reference?: number },
    atMs = 1,
  ): void {
    this.carrier.push({
      kind: 'submit',
      atMs,
      bind: 1,
      text,
      ...(part !== undefined && { concatenation: { by: 'udh8', reference: 7, ...part } }),
      isTaken: true,
      messageId,
      truth: 'delivered',
    });
  }

  /** A receipt that is acknowledged. */
  receipt(messageId: string, status = 0): void {
    const sequence = ++this.receipts;
    this.carrier.push({ kind: 'receipt', bind: 1, sequence, messageId, receiptId: messageId, state: 'DELIVRD' });
    this.carrier.push({ kind: 'acknowledgement', bind: 1, sequence, status });
  }

  /** A receipt for a message that nobody submitted. */
  foreignReceipt(aboutId: string): void {
    const sequence = ++this.receipts;
    this.carrier.push({
      kind: 'receipt',
      bind: 1,
      sequence,
      messageId: 'c',
      aboutId,
      receiptId: aboutId,
      state: 'DELIVRD',
    });
  }

  /** To which state the receipts of a segment lead. */
  tell(name: string, position: number, truth: string): void {
    this.carrier = this.carrier.map((line) =>
      line.kind === 'submit' && line.messageId === `c-${name}-${position}` ? { ...line, truth } : line,
    );
  }

  /** The states in which a message that was sent, and its segments, end. */
  end(name: string, state: OrderState, segments: readonly string[]): void {
    this.change(name, { state });
    this.transitions = this.transitions.map((one) =>
      one.orderId === idOf(name) && one.from === 'sent' ? { ...one, to: state } : one,
    );
    this.segments = this.segments.map((one) =>
      one.orderId === idOf(name) ? { ...one, state: segments[one.position - 1] ?? one.state } : one,
    );
  }

  /** A message that its client canceled before any carrier had it. */
  cancel(send: number, name: string, from: OrderState = 'queued'): void {
    this.records.push({ kind: 'cancel', atMs: send, endedAtMs: send + 1, send, id: idOf(name), status: 200 });
    this.carrier = this.carrier.filter((line) => !('messageId' in line && line.messageId?.startsWith(`c-${name}-`)));
    this.segments = this.segments.filter(({ orderId }) => orderId !== idOf(name));
    this.transitions = this.transitions.filter(({ orderId }) => orderId !== idOf(name));
    this.transitions.push({ orderId: idOf(name), from, to: 'canceled' });
    this.change(name, { state: 'canceled', amount: 0n });
  }

  /** The client asked for a later time. */
  schedule(send: number, sendAtMs: number): void {
    this.records = this.records.map((one) => (one.kind === 'send' && one.send === send ? { ...one, sendAtMs } : one));
    const names = this.records.flatMap((one) =>
      one.kind === 'send' && one.send === send ? one.messages.map(({ name }) => name) : [],
    );
    for (const name of names) this.transitions.push({ orderId: idOf(name), from: 'scheduled', to: 'queued' });
  }

  change(name: string, change: Partial<StoredOrder>): void {
    this.orders = this.orders.map((order) => (order.name === name ? { ...order, ...change } : order));
  }

  /** What clients were told: everything that they have to be told of, unless it is spoilt. */
  get heard(): HeardEvents {
    const told = this.transitions.filter(({ to }) => to !== 'queued' && to !== 'sending' && !this.untold.has(to));
    const changes = new Map(
      [...told.map(({ orderId, to }) => `${orderId} ${to}`), ...this.invented].map((change) => [
        change,
        new Set(this.toldAgain.includes(change) ? ['evt_3', 'evt_4'] : ['evt_3']),
      ]),
    );
    return { changes, batches: this.heardBatches };
  }

  get evidence(): Evidence {
    const carrier = new CarrierLogBuilder();
    for (const line of this.carrier) carrier.add(line);
    const sum = (states: (state: OrderState) => boolean) =>
      this.orders.filter(({ state }) => states(state)).reduce((total, { amount }) => total + amount, 0n);
    const isOpen = (state: OrderState) => state === 'queued' || state === 'sending';
    return {
      history: historyOf(this.records),
      carrier: carrier.build(),
      orders: this.orders,
      segments: this.segments,
      transitions: this.transitions,
      heard: this.heard,
      batches: [{ id: 'b-s2', messages: 2 }],
      unmatched: this.unmatched,
      balances: [
        { account: ACCOUNT, deposited: DEPOSIT, reserved: sum(isOpen), captured: sum((state) => !isOpen(state)) },
      ],
      deposited: new Map([[ACCOUNT, DEPOSIT]]),
      ledgerFault: this.ledgerFault,
    };
  }
}

/** A text of so many segments, each with the name of its message. */
function textOf(name: string, segments: number): string {
  const unit = `<${name}> text`;
  return segments === 1 ? unit : unit.repeat(100).slice(0, 153 * (segments - 1) + 2 * unit.length);
}

export function idOf(name: string): string {
  return `id-${name}`;
}

/** What the checker finds; without bounds no duplicate is excused. */
export function violationsOf(run: ARun, bounds: Bounds = { duplicatesMax: 0 }): Violation[] {
  return check(run.evidence, bounds);
}

/** Which invariants were violated, each once. */
export function brokenIn(run: ARun, bounds?: Bounds): string[] {
  return [...new Set(violationsOf(run, bounds).map(({ invariant }) => invariant))].sort();
}
