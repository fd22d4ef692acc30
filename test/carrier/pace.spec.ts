import { describe, expect, test } from '@jest/globals';
import { aCarrier } from '../support/a-carrier.js';
import { type SeenSubmit } from '../support/scripted-smsc.js';
import { submitOn, TestCarrier } from '../support/test-carrier.js';
import { until } from '../support/until.js';

/** Submits as fast as the carrier gives slots until `isEnough`, which must come true within `timeoutMs`. */
async function submitUntil(
  { carrier, slots }: TestCarrier,
  isEnough: () => boolean,
  timeoutMs = 60_000,
): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  while (!isEnough()) {
    if (performance.now() > deadlineMs) throw new Error(`not within ${timeoutMs} ms`);
    for (const slot of carrier.takeSlots(100)) void submitOn(slot);
    await slots.free(1_000);
  }
}

/** The rate a second over the last `count` moments; 0 while there are fewer. */
function latestRate(moments: number[], count: number): number {
  const first = moments.at(-count - 1);
  const last = moments.at(-1);
  return first === undefined || last === undefined ? 0 : (count * 1_000) / (last - first);
}

describe('the pace on the wire', () => {
  // What share of a pace is used to the last percent is shown on virtual time, which no busy machine disturbs.
  test('a carrier with 100 submits a second gets them, and never more than a small burst above', async () => {
    const { smsc, subject } = await aCarrier({ submitsPerSecond: 100 });
    const arrivals = () => smsc.seen.slice(1).map(({ atMs }) => atMs);
    await submitUntil(subject, () => latestRate(arrivals(), 190) >= 80);
    const moments = arrivals();
    for (const [index, atMs] of moments.entries()) {
      // 111 submits later is at least a second later: 100 a second, the burst, and what the scheduler may shift.
      const later = moments[index + 111];
      if (later !== undefined) expect(later - atMs).toBeGreaterThanOrEqual(1_000);
    }
  });

  test('the pace can be changed while the carrier is in use', async () => {
    const { smsc, subject, carrier } = await aCarrier({ submitsPerSecond: 0.1 });
    await submitUntil(subject, () => smsc.submits.length === 1);
    const waiting = subject.slots.free(20_000);
    carrier.setSubmitsPerSecond(undefined);
    await waiting;
    expect(carrier.takeSlots(10).length).toBeGreaterThan(5);
  });

  test('a carrier that throttles above 100 a second is used to the most of them', async () => {
    const { smsc, subject } = await aCarrier({ windowSize: 10 });
    const accepted: number[] = [];
    let tokens = 10;
    let refilledAtMs = performance.now();
    smsc.onSubmit = (submit) => {
      tokens = Math.min(10, tokens + ((submit.atMs - refilledAtMs) * 100) / 1_000);
      refilledAtMs = submit.atMs;
      if (tokens < 1) return submit.connection.respond(submit, 0x58);
      tokens -= 1;
      accepted.push(submit.atMs);
      submit.connection.accept(submit, '1');
    };
    await submitUntil(subject, () => latestRate(accepted, 150) >= 80);
    const throttled = subject.submits.filter(({ kind }) => kind === 'throttled').length;
    expect(throttled).toBeLessThan(accepted.length / 2);
  });

  test('a carrier whose queue is full is left alone for a second and then asked with one submit', async () => {
    const { smsc, subject, carrier } = await aCarrier({ windowSize: 10 });
    const held: SeenSubmit[] = [];
    smsc.onSubmit = (submit) => held.push(submit);
    const outcomes = carrier.takeSlots(10).map((slot) => submitOn(slot));
    await until('ten submits', () => held.length === 10);
    const refusedAtMs = performance.now();
    for (const submit of held.splice(0)) submit.connection.respond(submit, 0x14);
    expect((await Promise.all(outcomes)).map(({ kind }) => kind)).toEqual(Array(10).fill('throttled'));
    expect(carrier.takeSlots(10)).toEqual([]);
    await subject.slots.free(5_000);
    expect(performance.now() - refusedAtMs).toBeGreaterThanOrEqual(990);
    const [probe, ...more] = carrier.takeSlots(10);
    expect(more).toEqual([]);
    smsc.onSubmit = (submit) => submit.connection.accept(submit, '1');
    expect(await submitOn(probe)).toMatchObject({ kind: 'accepted' });
    const recoveredAtMs = performance.now();
    const before = subject.submits.length;
    await submitUntil(subject, () => subject.submits.length - before >= 100);
    expect(performance.now() - recoveredAtMs).toBeLessThan(20_000);
  });
});
