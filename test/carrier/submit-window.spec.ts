import { describe, expect, test } from '@jest/globals';
import type { SubmitOutcome } from '#carrier';
import { aCarrier } from '../support/a-carrier.js';
import { ID, type SeenSubmit } from '../support/scripted-smsc.js';
import { aSegment, submitOn } from '../support/test-carrier.js';
import { until } from '../support/until.js';

describe('submitting to a carrier', () => {
  test('the carrier never has more unanswered submits than its window', async () => {
    const { smsc, subject, carrier } = await aCarrier({ windowSize: 4 });
    let unanswered = 0;
    let most = 0;
    smsc.onSubmit = (submit) => {
      unanswered += 1;
      most = Math.max(most, unanswered);
      setImmediate(() => {
        unanswered -= 1;
        submit.connection.accept(submit, String(submit.sequence));
      });
    };
    const outcomes: Array<Promise<SubmitOutcome>> = [];
    while (outcomes.length < 200) {
      const slots = carrier.takeSlots(50);
      expect(slots.length).toBeLessThanOrEqual(4);
      for (const slot of slots) outcomes.push(submitOn(slot));
      await subject.slots.free(1_000);
    }
    const kinds = (await Promise.all(outcomes)).map(({ kind }) => kind);
    expect(new Set(kinds)).toEqual(new Set(['accepted']));
    expect(most).toBe(4);
    expect(subject.submits).toHaveLength(outcomes.length);
  });

  test('each submit gets its own answer even when answers come in another order', async () => {
    const { smsc, carrier } = await aCarrier({ windowSize: 5 });
    const held: SeenSubmit[] = [];
    smsc.onSubmit = (submit) => {
      held.push(submit);
      if (held.length < 5) return;
      for (const each of held.reverse()) each.connection.accept(each, `for-${each.shortMessage}`);
    };
    const outcomes = await Promise.all(
      carrier.takeSlots(5).map((slot, index) => submitOn(slot, { text: `t${index}` })),
    );
    expect(outcomes).toEqual([0, 1, 2, 3, 4].map((index) => ({ kind: 'accepted', carrierMessageId: `for-t${index}` })));
  });

  test('a slot that is given back can be taken again, a spent one cannot', async () => {
    const { carrier } = await aCarrier({ windowSize: 2 });
    const [first, second] = carrier.takeSlots(5);
    expect(carrier.takeSlots(1)).toEqual([]);
    first?.release();
    first?.release();
    expect(carrier.takeSlots(5)).toHaveLength(1);
    expect(await second?.submit(aSegment())).toMatchObject({ kind: 'accepted' });
    expect(await second?.submit(aSegment())).toEqual({ kind: 'not-sent', code: 'SLOT_SPENT' });
    // Its owner has to hand the answer on before.
    expect(carrier.takeSlots(5)).toEqual([]);
    second?.release();
    second?.release();
    expect(carrier.takeSlots(5)).toHaveLength(1);
  });

  test('further segments of a message come before new messages when the window is full', async () => {
    const { smsc, subject, carrier } = await aCarrier({ windowSize: 1 });
    const held: SeenSubmit[] = [];
    smsc.onSubmit = (submit) => held.push(submit);
    const [slot] = carrier.takeSlots(1);
    const first = submitOn(slot, { text: 'part 1' });
    const another = slot?.another();
    const someoneElse = subject.slots.free(5_000);
    const waiting = await until('part 1 arrives', () => held.shift());
    waiting.connection.accept(waiting, '1');
    const further = await another;
    expect(await first).toMatchObject({ kind: 'accepted' });
    expect(carrier.takeSlots(1)).toEqual([]);
    smsc.onSubmit = (submit) => submit.connection.accept(submit, '2');
    expect(await submitOn(further, { text: 'part 2' })).toEqual({ kind: 'accepted', carrierMessageId: '2' });
    await someoneElse;
    expect(carrier.takeSlots(1)).toHaveLength(1);
  });

  test('waiting for a further slot is bounded and ends when the bind goes down', async () => {
    const { smsc, carrier } = await aCarrier({ windowSize: 1, responseTimeoutMs: 200 });
    const [slot] = carrier.takeSlots(1);
    expect(await slot?.another()).toBeUndefined();
    const waiting = slot?.another();
    smsc.connection.socket.destroy();
    expect(await waiting).toBeUndefined();
    expect(await slot?.another()).toBeUndefined();
  });

  test.each([
    [0x14, 'throttled', 'ESME_RMSGQFUL'],
    [0x58, 'throttled', 'ESME_RTHROTTLED'],
    [0x08, 'temporary', 'ESME_RSYSERR'],
    [0x64, 'temporary', 'ESME_RX_T_APPN'],
    [0x0a, 'refused', 'ESME_RINVSRCADR'],
    [0x0b, 'refused', 'ESME_RINVDSTADR'],
    [0x45, 'refused', 'ESME_RSUBMITFAIL'],
    [0x65, 'refused', 'ESME_RX_P_APPN'],
    [0x66, 'refused', 'ESME_RX_R_APPN'],
    [0x401, 'refused', 'SMPP_0x00000401'],
  ])('a submit answered with status %i is %s', async (status, kind, code) => {
    const { smsc, subject } = await aCarrier();
    smsc.onSubmit = (submit) => submit.connection.respond(submit, status);
    expect(await subject.submit()).toEqual({ kind, code });
    expect(subject.submits).toMatchObject([{ kind }]);
  });

  test.each([
    [0x00, 'refused', 'ESME_RUNKNOWNERR'],
    [0x03, 'refused', 'ESME_RINVCMDID'],
    [0x08, 'temporary', 'ESME_RSYSERR'],
  ])('a generic_nack with status %i settles the submit that it names as %s', async (status, kind, code) => {
    const { smsc, subject } = await aCarrier();
    smsc.onSubmit = (submit) => submit.connection.send(ID.genericNack, status, submit.sequence);
    expect(await subject.submit()).toEqual({ kind, code });
  });

  test('a carrier that gives no message id has still accepted', async () => {
    const { smsc, subject } = await aCarrier();
    smsc.onSubmit = (submit) => submit.connection.respond(submit, 0);
    expect(await subject.submit()).toEqual({ kind: 'accepted', carrierMessageId: '' });
  });

  test('text that the alphabet does not have is refused before anything is written, and frees its slot', async () => {
    const { smsc, subject } = await aCarrier({ windowSize: 1 });
    expect(await subject.submit({ text: 'price: 5 €' })).toEqual({ kind: 'refused', code: 'UNENCODABLE' });
    expect(await subject.submit({ text: 'x'.repeat(255) })).toEqual({ kind: 'refused', code: 'UNENCODABLE' });
    expect(await subject.submit({ text: 'plain' })).toMatchObject({ kind: 'accepted' });
    expect(smsc.submits).toHaveLength(1);
  });

  test('a carrier that no longer takes the bind for one gets a new bind', async () => {
    const { smsc, subject } = await aCarrier();
    smsc.onSubmit = (submit) => submit.connection.respond(submit, 0x04);
    expect(await subject.submit()).toEqual({ kind: 'temporary', code: 'ESME_RINVBNDSTS' });
    await until('a second bind', () => smsc.count(ID.bindTransceiver) === 2);
  });
});
