import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { SubmitOutcome } from '#carrier';
import { FUZZ_TIMEOUT_MS, fuzz } from '../support/fuzz.js';
import { cString, ID, ScriptedSmsc, type SeenSubmit } from '../support/scripted-smsc.js';
import { submitOn, TestCarrier } from '../support/test-carrier.js';
import { until } from '../support/until.js';

/**
 * A carrier over real sockets in any history of its peer, by a clock that only the history moves: answers in any order,
 * twice, to nothing, never; connections that are cut or unbound in the middle of a window; deadlines that pass.
 */
const RESPONSE_TIMEOUT_MS = 1_000_000;
/** More virtual time than a history has. */
const FAR_MS = 3_600_000;

const STATUSES = [
  [0x00, 'accepted'],
  [0x58, 'throttled'],
  [0x08, 'temporary'],
  [0x0b, 'refused'],
] as const;

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('submit' as const), count: fc.integer({ min: 1, max: 8 }) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('answer' as const),
      which: fc.nat(20),
      // Throttling stops the pace, which has histories of its own, so it is rare here.
      status: fc.constantFrom(STATUSES[0], STATUSES[0], STATUSES[0], STATUSES[2], STATUSES[3]),
      twice: fc.boolean(),
      byNack: fc.constantFrom(false, false, false, true),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('answer nothing' as const), sequence: fc.nat(1_000) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('cut' as const),
      how: fc.constantFrom('destroy', 'end', 'unbind', 'noise'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('deadline' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

interface Submitted {
  readonly text: string;
  outcome: SubmitOutcome | undefined;
  settlements: number;
  seen: SeenSubmit | undefined;
}

class History {
  readonly submitted: Submitted[] = [];
  private nowMs = 0;
  private readonly open = new Set<SeenSubmit>();
  private readonly subject: TestCarrier;

  constructor(
    private readonly smsc: ScriptedSmsc,
    private readonly windowSize: number,
  ) {
    smsc.onSubmit = (submit) => this.see(submit);
    this.subject = new TestCarrier(
      smsc,
      {
        windowSize,
        responseTimeoutMs: RESPONSE_TIMEOUT_MS,
        enquireLinkIntervalMs: FAR_MS,
        enquireLinkTimeoutMs: FAR_MS,
      },
      { now: () => this.nowMs, random: () => 0 },
    );
    this.subject.carrier.start();
  }

  async take(wanted: Step): Promise<void> {
    await this.untilBound();
    if (wanted.do === 'submit') await this.submit(wanted.count);
    else if (wanted.do === 'answer') await this.answer(wanted);
    else if (wanted.do === 'answer nothing') this.answerNothing(wanted.sequence);
    else if (wanted.do === 'cut') await this.cut(wanted.how);
    else await this.deadline();
    expect(this.open.size).toBeLessThanOrEqual(this.windowSize);
    for (const { settlements } of this.submitted) expect(settlements).toBeLessThanOrEqual(1);
  }

  /** Closes with submits in flight and slots that nobody has used; from then on nothing may leave. */
  async close(): Promise<void> {
    await this.untilBound();
    const { carrier } = this.subject;
    const slots = carrier.takeSlots(this.windowSize);
    const seenBefore = this.smsc.count(ID.submit);
    const closed = carrier.close(0);
    for (const slot of slots) expect(await submitOn(slot)).toEqual({ kind: 'not-sent', code: 'CLOSING' });
    expect(carrier.takeSlots(10)).toEqual([]);
    await this.passUntil('the close', closed);
    expect(carrier.state).toBe('down');
    expect(this.smsc.count(ID.submit)).toBe(seenBefore);
    for (const one of this.submitted) expect([one.text, one.settlements]).toEqual([one.text, 1]);
    expect(this.subject.submits).toHaveLength(this.submitted.length);
    for (const { outcome, seen } of this.submitted) {
      if (seen !== undefined) expect(outcome?.kind).not.toBe('not-sent');
      if (seen === undefined) expect(['not-sent', 'in-doubt']).toContain(outcome?.kind);
    }
  }

  private see(submit: SeenSubmit): void {
    const text = submit.shortMessage.toString('latin1');
    const one = this.submitted.find((sent) => sent.text === text);
    if (one === undefined || one.seen !== undefined) throw new Error(`${text} was written twice, or by nobody`);
    for (const other of this.open) {
      if (other.sequence === submit.sequence && other.connection === submit.connection) {
        throw new Error(`sequence ${submit.sequence} is used twice at once`);
      }
    }
    one.seen = submit;
    this.open.add(submit);
    expect(this.open.size).toBeLessThanOrEqual(this.windowSize);
  }

  private async submit(count: number): Promise<void> {
    const slots = this.subject.carrier.takeSlots(count);
    expect(slots.length).toBe(Math.min(count, this.windowSize - this.open.size));
    const sent = slots.map((slot) => {
      const one: Submitted = {
        text: `m${this.submitted.length}`,
        outcome: undefined,
        settlements: 0,
        seen: undefined,
      };
      this.submitted.push(one);
      void submitOn(slot, { text: one.text }).then((outcome) => {
        one.outcome = outcome;
        one.settlements += 1;
      });
      return one;
    });
    await until('the submits arrive', () => sent.every(({ seen }) => seen !== undefined));
  }

  private async answer(how: Extract<Step, { do: 'answer' }>): Promise<void> {
    const submit = [...this.open][how.which % Math.max(1, this.open.size)];
    if (submit === undefined) return;
    this.open.delete(submit);
    const one = this.submitted.find(({ seen }) => seen === submit);
    if (one === undefined) throw new Error('answered what was never submitted');
    const [status, kind] = how.status;
    for (let time = 0; time < (how.twice ? 2 : 1); time += 1) {
      if (how.byNack && status !== 0) submit.connection.send(ID.genericNack, status, submit.sequence);
      else submit.connection.respond(submit, status, status === 0 ? cString(`id-${one.text}`) : Buffer.alloc(0));
    }
    await until('the outcome', () => one.outcome !== undefined);
    expect(one.outcome?.kind).toBe(kind);
    if (one.outcome?.kind === 'accepted') expect(one.outcome.carrierMessageId).toBe(`id-${one.text}`);
  }

  /** A response to what was never sent, or is answered already: nobody's. */
  private answerNothing(sequence: number): void {
    const isPending = [...this.open].some((submit) => submit.sequence === sequence);
    if (!isPending) this.smsc.connection.send(ID.submitResponse, 0, sequence, cString('nobody'));
  }

  private async cut(how: string): Promise<void> {
    const { connection } = this.smsc;
    if (how === 'destroy') connection.socket.destroy();
    else if (how === 'end') connection.socket.end();
    else if (how === 'unbind') connection.send(ID.unbind, 0, 1);
    else connection.socket.write(Buffer.alloc(16));
    // A carrier that unbinds is given time to answer what it has; here it never does.
    const stepMs = how === 'unbind' ? 100 : 0;
    await this.doubted(stepMs);
    await until('the bind is down', () => {
      this.nowMs += stepMs;
      return this.subject.carrier.state !== 'bound';
    });
  }

  private async deadline(): Promise<void> {
    if (this.open.size === 0) return;
    this.nowMs += RESPONSE_TIMEOUT_MS;
    await this.doubted();
  }

  /** Whatever was in flight is in doubt, and nothing else. */
  private async doubted(stepMs = 0): Promise<void> {
    const inFlight = this.submitted.filter(({ seen }) => seen !== undefined && this.open.has(seen));
    this.open.clear();
    await until('what was in flight has an outcome', () => {
      this.nowMs += stepMs;
      return inFlight.every(({ outcome }) => outcome !== undefined);
    });
    for (const { outcome } of inFlight) expect(outcome?.kind).toBe('in-doubt');
  }

  private async untilBound(): Promise<void> {
    // A bind that has just ended may still look bound for a turn; three timeouts in a row end one as well.
    await new Promise((resolve) => setImmediate(resolve));
    await until('the carrier is bound', () => {
      // Attempts to connect are apart by this clock.
      this.nowMs += 50;
      return this.subject.carrier.state === 'bound';
    });
  }

  private async passUntil(what: string, fact: Promise<unknown>): Promise<void> {
    let isOver = false;
    void fact.then(() => {
      isOver = true;
    });
    await until(what, () => {
      this.nowMs += 100;
      return isOver;
    });
  }
}

test(
  'whatever the peer does, the window holds, each submit ends once as the peer says or in doubt, and none leaves after the close',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 3, maxLength: 25 }),
        fc.integer({ min: 1, max: 6 }),
        async (steps, windowSize) => {
          const smsc = await ScriptedSmsc.listen();
          const history = new History(smsc, windowSize);
          try {
            for (const wanted of steps) await history.take(wanted);
            await history.close();
          } finally {
            await smsc.close();
          }
        },
      ),
      fuzz(30),
    );
  },
  FUZZ_TIMEOUT_MS,
);
