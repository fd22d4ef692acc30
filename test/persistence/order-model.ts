import { type Micros, type OrderState, TRANSITIONS, type TransitionActor } from '#billing';
import { SEGMENT_PRICE } from '../support/test-ledger.js';

/** What the model knows of time, in seconds; the same as the database is told. */
const LEASE_SECONDS = 60;
const DUE_AFTER_LEASE_SECONDS = 60;
export const IN_DOUBT_WAIT_SECONDS = 30;
const DOUBLINGS_MAX = 11;
export const RECEIPT_DEADLINE_SECONDS = 1_200;
export const VALIDITY_SECONDS = 3_600;
export const SWEEP_AFTER_SECONDS = 10;
/** A queued order is looked at so long after it may be tried again. */
const OFFER_SLACK_SECONDS = 2;

export type SegmentState =
  | 'pending'
  | 'submitting'
  | 'accepted'
  | 'refused'
  | 'in_doubt'
  | 'delivered'
  | 'undelivered'
  | 'unknown';
export type InDoubtPolicy = 'resend' | 'hold';

export interface SegmentModel {
  state: SegmentState;
  epoch: number;
  policy: InDoubtPolicy;
  inDoubtSince: number | undefined;
  /** Its earlier submits that were in doubt and were made again. */
  readonly doubts: number;
}

const TAKEN: readonly SegmentState[] = ['accepted', 'delivered', 'undelivered', 'unknown'];
const FINAL: readonly OrderState[] = ['delivered', 'undelivered', 'failed', 'unknown'];

/**
 * One order as the documentation describes it, in memory and without any database: its states, its segments and its
 * money. The clock is handed in with every step.
 */
export class OrderModel {
  state: OrderState = 'queued';
  epoch = 0;
  captured: Micros = 0n;
  released: Micros = 0n;
  readonly segments = new Map<number, SegmentModel>();
  readonly transitions: { from: OrderState; to: OrderState; actor: TransitionActor }[] = [];
  private readonly validUntil: number;
  private dueAt: number | undefined;
  private nextAttemptAt: number | undefined;
  private leaseUntil: number | undefined;
  private sentAt: number | undefined;
  /** Receipts that came before the response that names their segment, by position and epoch. */
  private readonly early = new Map<string, Set<'delivered' | 'undelivered'>>();

  constructor(
    readonly count: number,
    createdAt: number,
  ) {
    this.validUntil = createdAt + VALIDITY_SECONDS;
    this.dueAt = createdAt + SWEEP_AFTER_SECONDS;
  }

  get price(): Micros {
    return SEGMENT_PRICE * BigInt(this.count);
  }

  get amount(): Micros {
    return this.price - this.released;
  }

  get reserved(): Micros {
    return this.price - this.captured - this.released;
  }

  get isFinal(): boolean {
    return FINAL.includes(this.state);
  }

  /**
   * Whether a step now could go either way, because the clocks of the model and of the database differ by up to
   * `slack`.
   */
  isAmbiguousAt(now: number, slack: number): boolean {
    const doubts = [...this.segments.values()].map((segment) => this.inDoubtUntil(segment));
    const moments = [this.validUntil, this.dueAt, this.nextAttemptAt, this.leaseUntil, ...doubts];
    const deadline = this.sentAt === undefined ? undefined : this.sentAt + RECEIPT_DEADLINE_SECONDS;
    return [...moments, deadline].some((moment) => moment !== undefined && moment > now && moment <= now + slack);
  }

  /** The open positions where the claim succeeds; the first of them is submitting then. */
  claim(now: number, policy: InDoubtPolicy): number[] | undefined {
    if (this.state !== 'queued' || this.validUntil <= now || (this.nextAttemptAt ?? 0) > now) return undefined;
    // Each policy is a carrier of its own here: a message that one has begun goes on with it.
    if ([...this.segments.values()].some((segment) => TAKEN.includes(segment.state) && segment.policy !== policy)) {
      return undefined;
    }
    this.epoch += 1;
    this.leaseUntil = now + LEASE_SECONDS;
    this.dueAt = Math.min(this.dueAt ?? Number.POSITIVE_INFINITY, this.leaseUntil + DUE_AFTER_LEASE_SECONDS);
    this.move('sending', 'worker');
    const open = this.positions().filter((position) => this.isOpen(position));
    const [first] = open;
    if (first !== undefined) this.intend(first, policy);
    return open;
  }

  /** Whether a worker of this epoch may write the segment. */
  intent(now: number, position: number, epoch: number, policy: InDoubtPolicy): boolean {
    const isOwner = this.state === 'sending' && this.epoch === epoch && (this.leaseUntil ?? 0) > now;
    if (!isOwner || !this.isOpen(position)) return false;
    this.intend(position, policy);
    return true;
  }

  answer(
    now: number,
    position: number,
    epoch: number,
    kind: 'accepted' | 'refused' | 'pending' | 'in_doubt',
    isDone: boolean,
    retryAfterSeconds: number,
  ): void {
    const segment = this.segments.get(position);
    const isAwaited = segment?.state === 'submitting' || segment?.state === 'in_doubt';
    if (segment !== undefined && segment.epoch === epoch && isAwaited) {
      segment.state = kind;
      segment.inDoubtSince = kind === 'in_doubt' ? now : undefined;
      const early = this.early.get(`${position}/${epoch}`);
      if (kind === 'accepted' && early !== undefined) {
        segment.state = early.has('delivered') ? 'delivered' : 'undelivered';
        this.early.delete(`${position}/${epoch}`);
      }
    }
    // An owner whose lease is over submits nothing more.
    const isOver = isDone || (this.leaseUntil ?? Number.POSITIVE_INFINITY) <= now;
    if (epoch === this.epoch) this.conclude(now, 'worker', isOver, retryAfterSeconds);
  }

  /** A receipt that names the segment as a submit of this epoch was answered. */
  receipt(now: number, position: number, epoch: number, verdict: 'delivered' | 'undelivered'): void {
    const segment = this.segments.get(position);
    const isNamed = segment !== undefined && segment.epoch === epoch && TAKEN.includes(segment.state);
    if (segment === undefined || !isNamed || this.isNameless(segment)) {
      const key = `${position}/${epoch}`;
      this.early.set(key, (this.early.get(key) ?? new Set()).add(verdict));
      return;
    }
    const improves = segment.state === 'undelivered' && verdict === 'delivered';
    if (segment.state === 'accepted' || segment.state === 'unknown' || improves) segment.state = verdict;
    this.conclude(now, 'receipt', false, 0);
  }

  sweep(now: number): void {
    if (this.dueAt === undefined || this.dueAt > now) return;
    const all = [...this.segments.values()];
    const hasLease = (this.leaseUntil ?? 0) > now;
    const receiptDeadline = (this.sentAt ?? 0) + RECEIPT_DEADLINE_SECONDS;
    let concludes = false;
    if (this.state === 'sending' && !hasLease) this.endDoubts(now);
    if (this.state === 'queued' && this.validUntil <= now) this.giveUpDoubtful();
    if (this.state === 'sending' && hasLease) this.dueAt = this.leaseUntil;
    else if (this.state === 'sent' && receiptDeadline > now) this.dueAt = receiptDeadline;
    else if (this.state === 'sending') {
      concludes = !all.some(({ state }) => state === 'in_doubt');
    } else if (this.state === 'sent') {
      for (const segment of all) if (segment.state === 'accepted') segment.state = 'unknown';
      concludes = true;
    } else concludes = this.validUntil <= now;
    if (concludes) this.conclude(now, 'reconciler', true, 0);
    if (this.state === 'queued' && this.validUntil > now && (this.nextAttemptAt ?? 0) <= now) {
      // It goes into its account's backlog, and a feeder takes it out.
      this.dueAt = Math.min(this.validUntil, now + SWEEP_AFTER_SECONDS);
    }
  }

  /** The owner is dead. Where the wait for a receipt is over, the policy decides, or the end of the validity. */
  private endDoubts(now: number): void {
    const all = [...this.segments.values()];
    for (const segment of all) {
      if (segment.state === 'submitting') Object.assign(segment, { state: 'in_doubt', inDoubtSince: now });
    }
    const inDoubt = all.filter(({ state }) => state === 'in_doubt');
    const until = Math.max(...inDoubt.map((segment) => this.inDoubtUntil(segment) ?? 0));
    if (until > now) this.dueAt = until;
    for (const segment of inDoubt) {
      const isOver = (this.inDoubtUntil(segment) ?? 0) <= now;
      if (isOver) segment.state = segment.policy === 'hold' ? 'unknown' : 'pending';
    }
    if (this.validUntil <= now) this.giveUpDoubtful();
  }

  /** What a carrier may have is not sent again after the validity. */
  private giveUpDoubtful(): void {
    for (const segment of this.segments.values()) {
      const isDoubtful = segment.inDoubtSince !== undefined || segment.doubts > 0;
      if (segment.state === 'pending' && isDoubtful) segment.state = 'unknown';
    }
  }

  private positions(): number[] {
    return Array.from({ length: this.count }, (_, index) => index + 1);
  }

  private isOpen(position: number): boolean {
    const state = this.segments.get(position)?.state;
    return state === undefined || state === 'pending' || state === 'in_doubt';
  }

  private intend(position: number, policy: InDoubtPolicy): void {
    const before = this.segments.get(position);
    const doubts = (before?.doubts ?? 0) + (before?.inDoubtSince === undefined ? 0 : 1);
    this.segments.set(position, { state: 'submitting', epoch: this.epoch, policy, inDoubtSince: undefined, doubts });
  }

  private inDoubtUntil({ inDoubtSince, doubts }: SegmentModel): number | undefined {
    if (inDoubtSince === undefined) return undefined;
    const doubled = inDoubtSince + IN_DOUBT_WAIT_SECONDS * 2 ** Math.min(DOUBLINGS_MAX, doubts);
    return Math.max(inDoubtSince + IN_DOUBT_WAIT_SECONDS, Math.min(this.validUntil, doubled));
  }

  /** A segment that nobody waits for any more, and whose response never came, has no name that a receipt could call. */
  private isNameless(segment: SegmentModel): boolean {
    return segment.state === 'unknown' && segment.inDoubtSince !== undefined;
  }

  /** The state of the order follows from its segments alone. */
  private conclude(now: number, actor: TransitionActor, isDone: boolean, retryAfterSeconds: number): void {
    const states = this.positions().map((position) => this.segments.get(position)?.state);
    const isSent = states.every((state) => state !== undefined && TAKEN.includes(state));
    if (this.state === 'queued') {
      if (actor === 'reconciler' && !isSent) this.fail(actor);
      if (actor !== 'reconciler' || !isSent) return;
      this.move('sending', actor);
    }
    if (this.state === 'sending' && !isSent) {
      if (!isDone) return;
      if (states.some((state) => state === 'in_doubt' || state === 'submitting')) this.waitForDoubt(now);
      else if (states.includes('refused')) this.fail(actor);
      else this.requeue(now, actor, retryAfterSeconds);
      return;
    }
    if (this.state === 'sending') {
      this.captured = this.price;
      this.sentAt = now;
      this.leaseUntil = undefined;
    }
    const verdict = this.verdict(states);
    if (this.state === 'sending' && (verdict === 'delivered' || verdict === 'undelivered')) this.move('sent', actor);
    if (verdict !== this.state) this.move(verdict, actor);
  }

  private verdict(states: readonly (SegmentState | undefined)[]): OrderState {
    if (this.state === 'delivered' || this.state === 'failed') return this.state;
    if (states.every((state) => state === 'delivered')) return 'delivered';
    if (states.includes('undelivered')) return 'undelivered';
    if (this.state === 'undelivered' || this.state === 'unknown') return this.state;
    return states.includes('unknown') ? 'unknown' : 'sent';
  }

  private waitForDoubt(now: number): void {
    this.leaseUntil = now;
    this.dueAt = now + IN_DOUBT_WAIT_SECONDS;
  }

  private requeue(now: number, actor: TransitionActor, retryAfterSeconds: number): void {
    this.leaseUntil = undefined;
    this.nextAttemptAt = now + retryAfterSeconds;
    this.dueAt = this.nextAttemptAt + OFFER_SLACK_SECONDS;
    this.move('queued', actor);
  }

  /** What was taken stays paid; what never left is given back. */
  private fail(actor: TransitionActor): void {
    const taken = [...this.segments.values()].filter(({ state }) => TAKEN.includes(state)).length;
    this.captured = SEGMENT_PRICE * BigInt(taken);
    this.released = this.price - this.captured;
    this.move('failed', actor);
  }

  private move(to: OrderState, actor: TransitionActor): void {
    const row = TRANSITIONS.find((transition) => transition.from === this.state && transition.to === to);
    if (row?.by[actor] === undefined) throw new Error(`the table has no ${this.state} to ${to} by ${actor}`);
    this.transitions.push({ from: this.state, to, actor });
    this.state = to;
    if (to !== 'queued' && to !== 'sending') this.leaseUntil = undefined;
    if (this.isFinal) this.dueAt = undefined;
  }
}
