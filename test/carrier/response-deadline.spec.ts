import { describe, expect, test } from '@jest/globals';
import { aCarrier } from '../support/a-carrier.js';
import { deliverBody, ID, type SeenSubmit } from '../support/scripted-smsc.js';
import { standStill } from '../support/stand-still.js';
import { aSegment, reasonsIn, submitOn } from '../support/test-carrier.js';
import { until } from '../support/until.js';

describe('a carrier that does not answer', () => {
  test('a submit without a response in time is in doubt, and its late response does no harm', async () => {
    const { smsc, subject } = await aCarrier({ windowSize: 1, responseTimeoutMs: 250 });
    const held: SeenSubmit[] = [];
    smsc.onSubmit = (submit) => held.push(submit);
    expect(await subject.submit()).toEqual({ kind: 'in-doubt', code: 'RESPONSE_TIMEOUT' });
    const [late] = held;
    late?.connection.accept(late, 'late');
    await until('the late response is counted', () => subject.lateResponses === 1);
    smsc.onSubmit = (submit) => submit.connection.accept(submit, 'in time');
    expect(await subject.submit()).toEqual({ kind: 'accepted', carrierMessageId: 'intime' });
    expect(smsc.connections).toHaveLength(1);
  });

  test('three submits in a row without a response cost the bind, and a new one works', async () => {
    const { smsc, subject, carrier } = await aCarrier({ windowSize: 3, responseTimeoutMs: 250 });
    smsc.onSubmit = () => undefined;
    const outcomes = await Promise.all(carrier.takeSlots(3).map((slot) => submitOn(slot)));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['in-doubt', 'in-doubt', 'in-doubt']);
    await until('a second bind', () => smsc.count(ID.bindTransceiver) === 2);
    smsc.onSubmit = (submit) => submit.connection.accept(submit, '1');
    await subject.untilBound();
    expect(await subject.submit()).toMatchObject({ kind: 'accepted' });
  });

  test('answers in between keep the bind', async () => {
    const { smsc, subject } = await aCarrier({ windowSize: 1, responseTimeoutMs: 200 });
    smsc.onSubmit = (submit) => {
      if (submit.sequence % 2 === 0) submit.connection.accept(submit, '1');
    };
    const kinds: string[] = [];
    for (let count = 0; count < 8; count++) kinds.push((await subject.submit()).kind);
    expect(kinds.filter((kind) => kind === 'in-doubt')).toHaveLength(4);
    expect(smsc.connections).toHaveLength(1);
  });

  test('late answers keep the bind, so that all of them count', async () => {
    const { smsc, subject } = await aCarrier({ windowSize: 1, responseTimeoutMs: 100 });
    const held: SeenSubmit[] = [];
    smsc.onSubmit = (submit) => held.push(submit);
    for (let count = 1; count <= 4; count++) {
      expect(await subject.submit()).toEqual({ kind: 'in-doubt', code: 'RESPONSE_TIMEOUT' });
      const late = held.pop();
      late?.connection.accept(late, 'late');
      await until('the late response is counted', () => subject.lateResponses === count);
    }
    expect(smsc.connections).toHaveLength(1);
  });
});

test('responses that wait because 1,000 receipts are not stored yet count, however long that takes', async () => {
  let nowMs = 0;
  let looks = 0;
  const now = () => {
    looks += 1;
    return nowMs;
  };
  const storing: Array<() => void> = [];
  const onReceipt = () => new Promise<void>((stored) => storing.push(stored));
  const { smsc, carrier } = await aCarrier({ windowSize: 3 }, { now, onReceipt });
  const held: SeenSubmit[] = [];
  smsc.onSubmit = (submit) => held.push(submit);
  const outcomes = carrier.takeSlots(3).map((slot) => submitOn(slot));
  for (let id = 1; id <= 1_000; id += 1) smsc.connection.deliver(deliverBody({ message: `id:${id} stat:DELIVRD` }));
  await until('the receipts are being stored', () => storing.length === 1_000 && held.length === 3);
  for (const submit of held) submit.connection.accept(submit, `id${submit.sequence}`);
  nowMs = 600_000;
  const before = looks;
  await until('the deadlines were looked at', () => looks > before + 10);
  for (const stored of storing) stored();
  expect((await Promise.all(outcomes)).map(({ kind }) => kind)).toEqual(['accepted', 'accepted', 'accepted']);
  expect(smsc.connections).toHaveLength(1);
});

test('responses that came while the process stood still count, however long that was', async () => {
  const { smsc, carrier } = await aCarrier({ windowSize: 3, responseTimeoutMs: 1_000 });
  const held: SeenSubmit[] = [];
  smsc.onSubmit = (submit) => held.push(submit);
  const outcomes = carrier.takeSlots(3).map((slot) => submitOn(slot));
  await until('three submits', () => held.length === 3);
  for (const submit of held) submit.connection.accept(submit, `id${submit.sequence}`);
  standStill(1_500);
  expect((await Promise.all(outcomes)).map(({ kind }) => kind)).toEqual(['accepted', 'accepted', 'accepted']);
  expect(smsc.connections).toHaveLength(1);
});

describe('a connection that breaks', () => {
  test('everything written and unanswered is in doubt, everything submitted afterwards is not sent', async () => {
    const { smsc, carrier } = await aCarrier({ windowSize: 8 });
    smsc.onSubmit = () => undefined;
    const slots = carrier.takeSlots(8);
    const written = slots.slice(0, 5).map((slot) => submitOn(slot));
    await until('five submits at the carrier', () => smsc.submits.length === 5);
    smsc.connection.socket.destroy();
    expect(await Promise.all(written)).toEqual(written.map(() => ({ kind: 'in-doubt', code: 'BIND_LOST' })));
    const unsent = await Promise.all(slots.slice(5).map((slot) => submitOn(slot)));
    expect(unsent).toEqual(unsent.map(() => ({ kind: 'not-sent', code: 'BIND_DOWN' })));
    expect(unsent).toHaveLength(3);
  });

  test('what a full connection never took is known not to be sent', async () => {
    const { smsc, subject, carrier } = await aCarrier({ windowSize: 1_000_000 });
    smsc.connection.socket.pause();
    const outcomes: Array<Promise<{ kind: string }>> = [];
    // However much the buffers of this machine hold, in the end they are full.
    while (carrier.state === 'bound' && outcomes.length < 1_000_000) {
      for (const slot of carrier.takeSlots(1_000)) {
        outcomes.push(slot.submit(aSegment({ encoding: 'extended', text: 'ö'.repeat(70) })));
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(carrier.state).not.toBe('bound');
    const kinds = (await Promise.all(outcomes)).map(({ kind }) => kind);
    expect(kinds).toHaveLength(subject.submits.length);
    expect(reasonsIn(subject)).toContain('the carrier does not read');
    const firstUnsent = kinds.indexOf('not-sent');
    expect(firstUnsent).toBeGreaterThan(0);
    expect(new Set(kinds.slice(0, firstUnsent))).toEqual(new Set(['in-doubt']));
    expect(new Set(kinds.slice(firstUnsent))).toEqual(new Set(['not-sent']));
    expect(smsc.submits.length).toBeLessThanOrEqual(firstUnsent);
  });

  test('slots of a broken bind do not count against the window of the next', async () => {
    const { smsc, subject, carrier } = await aCarrier({ windowSize: 3 });
    const lost = carrier.takeSlots(3);
    smsc.connection.socket.destroy();
    await until('a second bind', () => smsc.count(ID.bindTransceiver) === 2);
    await subject.untilBound();
    const slots = carrier.takeSlots(10);
    expect(slots).toHaveLength(3);
    for (const slot of lost) slot.release();
    expect(carrier.takeSlots(10)).toHaveLength(0);
    expect(await submitOn(slots[0])).toMatchObject({ kind: 'accepted' });
  });
});
