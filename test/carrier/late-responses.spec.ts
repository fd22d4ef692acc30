import { describe, expect, test } from '@jest/globals';
import type { SubmitOutcome } from '#carrier';
import { aCarrier } from '../support/a-carrier.js';
import { ID, type SeenSubmit } from '../support/scripted-smsc.js';
import { submitOn } from '../support/test-carrier.js';
import { until } from '../support/until.js';

/** A carrier that leaves one submit without a response until its deadline, and answers the ones that follow at once. */
async function withOneInDoubt(settings: Parameters<typeof aCarrier>[0] = {}) {
  const { smsc, subject, carrier } = await aCarrier({ windowSize: 1, responseTimeoutMs: 250, ...settings });
  const held: SeenSubmit[] = [];
  smsc.onSubmit = (submit) => held.push(submit);
  const late: SubmitOutcome[] = [];
  const outcome = submitOn(await subject.slots.take(), {}, (each) => late.push(each));
  expect(await outcome).toEqual({ kind: 'in-doubt', code: 'RESPONSE_TIMEOUT' });
  const [expired] = held;
  if (expired === undefined) throw new Error('no submit');
  smsc.onSubmit = (submit) => submit.connection.accept(submit, 'intime');
  return { smsc, subject, carrier, expired, late };
}

describe('a response after its deadline', () => {
  test.each([
    ['accepted', 0, { kind: 'accepted', carrierMessageId: 'late1' }],
    ['refused', 0x0b, { kind: 'refused', code: 'ESME_RINVDSTADR' }],
    ['throttled', 0x58, { kind: 'throttled', code: 'ESME_RTHROTTLED' }],
    ['temporary', 0x08, { kind: 'temporary', code: 'ESME_RSYSERR' }],
  ])('tells the submit in doubt that it was %s', async (_kind, status, expected) => {
    const { expired, late } = await withOneInDoubt();
    if (status === 0) expired.connection.accept(expired, 'LATE1');
    else expired.connection.respond(expired, status);
    await until('the late outcome', () => late.length === 1);
    expect(late).toEqual([expected]);
  });

  test('that is a generic_nack tells as well', async () => {
    const { expired, late } = await withOneInDoubt();
    expired.connection.send(ID.genericNack, 0x03, expired.sequence);
    await until('the late outcome', () => late.length === 1);
    expect(late).toEqual([{ kind: 'refused', code: 'ESME_RINVCMDID' }]);
  });

  test('tells once, however often the carrier repeats it', async () => {
    const { expired, late, subject } = await withOneInDoubt();
    for (let count = 0; count < 3; count++) expired.connection.accept(expired, 'x');
    expect(await subject.submit()).toMatchObject({ kind: 'accepted' });
    expect(late).toHaveLength(1);
  });

  test('frees no second slot: the window stays what it is', async () => {
    const { smsc, expired, late, subject, carrier } = await withOneInDoubt({ windowSize: 2 });
    expired.connection.accept(expired, 'x');
    await until('the late outcome', () => late.length === 1);
    smsc.onSubmit = () => undefined;
    expect(carrier.takeSlots(10)).toHaveLength(2);
    expect(subject.submits.map(({ kind }) => kind)).toEqual(['in-doubt']);
  });

  test('is not expected any more once the bind is lost', async () => {
    const { smsc, expired, late, subject } = await withOneInDoubt();
    smsc.connection.socket.destroy();
    await until('a second bind', () => smsc.count(ID.bindTransceiver) === 2);
    await subject.untilBound();
    smsc.connection.accept(expired, 'from another session');
    expect(await subject.submit()).toMatchObject({ kind: 'accepted' });
    expect(late).toEqual([]);
  });

  test('is no matter of a submit that was answered in time', async () => {
    const { smsc, subject, carrier } = await aCarrier({});
    const late: SubmitOutcome[] = [];
    const [slot] = carrier.takeSlots(1);
    await submitOn(slot, {}, (each) => late.push(each));
    const [submit] = smsc.submits;
    submit?.connection.accept(submit, 'again');
    expect(await subject.submit()).toMatchObject({ kind: 'accepted' });
    expect(late).toEqual([]);
  });

  test('to no submit at all does no harm', async () => {
    const { smsc, subject } = await aCarrier({});
    smsc.connection.send(ID.submitResponse, 0, 0x7ffffffe, Buffer.from('x\0'));
    smsc.connection.send(ID.submitResponse, 0x58, 0xffffffff);
    expect(await subject.submit()).toMatchObject({ kind: 'accepted' });
    expect(smsc.connections).toHaveLength(1);
  });
});
