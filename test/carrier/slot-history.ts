import { expect, jest } from '@jest/globals';
import type { OutboundSegment, SubmitOutcome, SubmitSlot } from '#carrier';
import { SubmitRate } from '../../libs/carrier/pace/submit-rate.js';
import { SubmitSlots, type Submitter } from '../../libs/carrier/pace/submit-slots.js';
import { aSegment } from '../support/test-carrier.js';
import { mostWithin } from './virtual-carrier.js';

export const DEEDS = [
  'take',
  'submit',
  'release',
  'another',
  'answer',
  'record',
  'wait',
  'bind lost',
  'bound',
  'close',
] as const;
export type Step = { readonly do: (typeof DEEDS)[number]; readonly which: number };

export const FORMAT = { unit: 'segment', text: 'any' } as const;
const FOLLOW_MAX_MS = 5_000;
const TICK_MS = 50;

/** As much of a session as slots need, with submits that a step answers. */
class StandInSession implements Submitter {
  slotsInUse = 0;
  isBound = true;
  readonly unanswered: ((outcome: SubmitOutcome) => void)[] = [];
  submitted = 0;

  constructor(private readonly windowSize: number) {}

  get window(): number {
    return this.isBound ? this.windowSize : 0;
  }

  submit(_segment: OutboundSegment): Promise<SubmitOutcome> {
    this.submitted += 1;
    return new Promise((resolve) => {
      this.unanswered.push(resolve);
    });
  }

  answer(which: number): void {
    const [settle] = this.unanswered.splice(which % Math.max(1, this.unanswered.length), 1);
    settle?.({ kind: 'accepted', carrierMessageId: '1' });
  }

  end(): void {
    this.isBound = false;
    for (const settle of this.unanswered.splice(0)) settle({ kind: 'in-doubt', code: 'BIND_LOST' });
  }
}

interface Held {
  readonly slot: SubmitSlot;
  readonly session: StandInSession;
}
interface Follower {
  readonly session: StandInSession;
  readonly sinceMs: number;
  isServed: boolean;
}

/** The slots of one carrier through whatever happens to it, by jest's clock, with what must hold of them. */
export class SlotHistory {
  readonly held: Held[] = [];
  /** Slots whose submits have their outcome, which is not recorded yet. */
  readonly unrecorded: Held[] = [];
  readonly sessions: StandInSession[] = [];
  readonly takenAtMs: number[] = [];
  readonly followers: Follower[] = [];
  /** A take got fewer slots than it wanted, and nobody was told since that there are some. */
  private isOwed = false;
  private readonly slots: SubmitSlots;
  private readonly rate: SubmitRate;
  private session: StandInSession | undefined;
  private isClosed = false;
  private submitsAfterClose = 0;

  constructor(
    readonly windowSize: number,
    readonly perSecond: number,
  ) {
    this.rate = new SubmitRate(perSecond, performance.now());
    const onFree = () => {
      this.isOwed = false;
    };
    this.slots = new SubmitSlots(FORMAT, this.rate, () => performance.now(), onFree, FOLLOW_MAX_MS);
    this.open();
  }

  async step(wanted: Step): Promise<void> {
    const held = this.held[wanted.which % Math.max(1, this.held.length)];
    if (wanted.do === 'take') this.take(wanted.which);
    else if (wanted.do === 'submit' && held !== undefined) this.submit(held);
    else if (wanted.do === 'release' && held !== undefined) this.release(held);
    else if (wanted.do === 'another' && held !== undefined) this.another(held);
    else if (wanted.do === 'answer') this.session?.answer(wanted.which);
    else if (wanted.do === 'record') this.record(wanted.which);
    else if (wanted.do === 'wait') await this.pass(wanted.which * 10);
    else if (wanted.do === 'bind lost') this.lose();
    else if (wanted.do === 'bound') this.open();
    else if (wanted.do === 'close') this.close();
    await this.pass(0);
  }

  /** Lets time pass. The owner of the slots ticks, but here only somebody who has waited too long is helped by it. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= TICK_MS) {
      await jest.advanceTimersByTimeAsync(Math.min(left, TICK_MS));
      const untilMs = performance.now() - FOLLOW_MAX_MS;
      if (this.followers.some(({ isServed, sinceMs }) => !isServed && sinceMs <= untilMs)) this.slots.progress();
    }
    await jest.advanceTimersByTimeAsync(0);
  }

  check(): void {
    const nowMs = performance.now();
    for (const session of this.sessions) {
      const out = [...this.held, ...this.unrecorded].filter((one) => one.session === session).length;
      expect(session.slotsInUse).toBe(out + session.unanswered.length);
      expect(session.slotsInUse).toBeLessThanOrEqual(this.windowSize);
    }
    const waiting = this.followers.filter(({ isServed }) => !isServed);
    for (const { sinceMs, session } of waiting) {
      expect(nowMs - sinceMs).toBeLessThan(FOLLOW_MAX_MS + TICK_MS);
      expect([session.isBound, this.isClosed]).toEqual([true, false]);
    }
    // Who came first is served first.
    const served = this.followers.findLastIndex(({ isServed, session }) => isServed && session.isBound);
    expect(this.followers.slice(0, Math.max(0, served)).filter(({ isServed }) => !isServed)).toEqual([]);
    expect(this.submitsAfterClose).toBe(0);
  }

  /**
   * Nobody may sleep while a slot is free for which the rate has a token. The wait for a token may be longer by a
   * timer's millisecond.
   */
  async checkNobodyIsForgotten(): Promise<void> {
    const wasDue = this.hasSlotForAnybody();
    await jest.advanceTimersByTimeAsync(1);
    if (!wasDue || !this.hasSlotForAnybody()) return;
    expect(this.followers.filter(({ isServed }) => !isServed)).toEqual([]);
    expect(this.isOwed).toBe(false);
  }

  async end(): Promise<void> {
    for (const one of [...this.held]) this.submit(one);
    for (const session of this.sessions) while (session.unanswered.length > 0) session.answer(0);
    await this.pass(FOLLOW_MAX_MS + TICK_MS);
    while (this.unrecorded.length > 0) this.record(0);
    for (const one of [...this.held]) this.release(one);
    await this.pass(10_000);
    expect(this.followers.filter(({ isServed }) => !isServed)).toEqual([]);
    expect(this.sessions.map(({ slotsInUse }) => slotsInUse)).toEqual(this.sessions.map(() => 0));
    const isUsable = !this.isClosed && this.session !== undefined;
    if (isUsable) await this.pass(1_000 / this.perSecond + TICK_MS);
    expect(this.slots.take(1)).toHaveLength(isUsable ? 1 : 0);
    // At a low pace this waits for the timer that the close ends.
    this.slots.take(1);
    this.close();
    // Its own timer is over. Others of this process may go on: modules outlive the spec that has loaded them.
    const progress = jest.spyOn(this.slots, 'progress');
    await this.pass(100_000);
    expect(progress).not.toHaveBeenCalled();
    for (const windowMs of [1, 100, 1_000, 5_000]) {
      const allowed = (this.perSecond * windowMs) / 1_000 + Math.max(1, this.perSecond / 20) + 1e-6;
      expect(mostWithin(this.takenAtMs, windowMs)).toBeLessThanOrEqual(allowed);
    }
  }

  private hasSlotForAnybody(): boolean {
    const hasRoom = !this.isClosed && this.session?.isBound && this.session.slotsInUse < this.windowSize;
    return Boolean(hasRoom) && this.rate.waitMs(performance.now()) === 0;
  }

  private take(max: number): void {
    const waiting = this.followers.filter(({ isServed }) => !isServed).length;
    const slots = this.slots.take(max);
    expect(slots.length).toBeLessThanOrEqual(max);
    if (slots.length < max) this.isOwed = true;
    if (waiting > 0 && slots.length > 0) expect(this.session?.slotsInUse).toBeLessThanOrEqual(this.windowSize);
    for (const slot of slots) this.hold(slot, this.session);
  }

  private hold(slot: SubmitSlot, session: StandInSession | undefined): void {
    expect(this.isClosed).toBe(false);
    expect(session?.isBound).toBe(true);
    if (session !== undefined) this.held.push({ slot, session });
    this.takenAtMs.push(performance.now());
  }

  private submit(held: Held): void {
    this.held.splice(this.held.indexOf(held), 1);
    const before = held.session.submitted;
    void held.slot.submit(aSegment()).then(() => this.unrecorded.push(held));
    if (this.isClosed) this.submitsAfterClose += held.session.submitted - before;
  }

  private record(which: number): void {
    const [answered] = this.unrecorded.splice(which % Math.max(1, this.unrecorded.length), 1);
    answered?.slot.release();
    answered?.slot.release();
  }

  private release(held: Held): void {
    this.held.splice(this.held.indexOf(held), 1);
    held.slot.release();
    held.slot.release();
    // It was not used: the pace is not.
    this.takenAtMs.pop();
  }

  private another({ slot, session }: Held): void {
    const follower: Follower = { session, sinceMs: performance.now(), isServed: false };
    this.followers.push(follower);
    void slot.another().then((further) => {
      follower.isServed = true;
      if (further !== undefined) this.hold(further, session);
    });
  }

  private open(): void {
    if (this.session !== undefined) return;
    const session = new StandInSession(this.windowSize);
    this.session = session;
    this.sessions.push(session);
    this.slots.open(session);
  }

  private lose(): void {
    const { session } = this;
    if (session === undefined) return;
    session.end();
    this.session = undefined;
    this.slots.retire(session);
    this.slots.progress();
  }

  private close(): void {
    this.isClosed = true;
    this.slots.close();
  }
}
