import { describe, expect, test } from '@jest/globals';
import type { SubmitOutcome } from '#carrier';
import { aCarrier } from '../support/a-carrier.js';
import { deliverBody, ID, type ScriptedSmsc, type SeenSubmit } from '../support/scripted-smsc.js';
import { submitOn, type TestCarrier } from '../support/test-carrier.js';
import { until } from '../support/until.js';

const boundCount = ({ carrier }: TestCarrier) => carrier.bindStates.filter(({ state }) => state === 'bound').length;

async function untilBinds(subject: TestCarrier, count: number): Promise<void> {
  await until(`${count} binds`, () => boundCount(subject) === count && subject.carrier.bindStates.length === count);
}

async function withBinds(binds: number, settings: Parameters<typeof aCarrier>[0] = {}) {
  const all = await aCarrier({ binds, ...settings });
  await untilBinds(all.subject, binds);
  return all;
}

const openConnections = (smsc: ScriptedSmsc) => smsc.connections.filter(({ isClosed }) => !isClosed);

describe('several binds to one carrier', () => {
  test('each has a window of its own, and messages go over the one with most room', async () => {
    const { smsc, subject, carrier } = await withBinds(3, { windowSize: 2 });
    const held: SeenSubmit[] = [];
    smsc.onSubmit = (submit) => held.push(submit);
    const slots = carrier.takeSlots(100);
    expect(slots).toHaveLength(6);
    const outcomes = slots.map((slot) => submitOn(slot));
    await until('six submits', () => held.length === 6);
    const perBind = smsc.connections.map((each) => held.filter(({ connection }) => connection === each).length);
    expect(perBind).toEqual([2, 2, 2]);
    const [first] = held;
    first?.connection.accept(first, '1');
    await subject.slots.free(5_000);
    const [next, ...more] = carrier.takeSlots(100);
    expect(more).toEqual([]);
    void submitOn(next);
    const seventh = await until('the seventh', () => held[6]);
    expect(seventh.connection).toBe(first?.connection);
    for (const submit of held.slice(1)) submit.connection.accept(submit, 'x');
    expect((await Promise.all(outcomes)).map(({ kind }) => kind)).toEqual(Array(6).fill('accepted'));
  });

  test('share one rate', async () => {
    const { subject, carrier } = await withBinds(4, { windowSize: 50, submitsPerSecond: 40 });
    await subject.slots.free(1_000);
    // 0.05 s of 40 a second at once, however many binds there are.
    expect(carrier.takeSlots(100).length).toBeLessThanOrEqual(2);
  });

  test('all segments of a message stay on one, also while its window is full and others have room', async () => {
    const { smsc, subject, carrier } = await withBinds(2, { windowSize: 1 });
    const held: SeenSubmit[] = [];
    smsc.onSubmit = (submit) => held.push(submit);
    const [one, other] = carrier.takeSlots(2);
    const outcomes = [submitOn(one, { text: 'one 1' }), submitOn(other, { text: 'other' })];
    await until('both are at the carrier', () => held.length === 2);
    const further = one?.another();
    const answer = (text: string) => {
      const submit = held.find(({ shortMessage }) => shortMessage.toString() === text);
      submit?.connection.accept(submit, text);
      return submit?.connection;
    };
    answer('other');
    await subject.slots.free(5_000);
    const [newcomer] = carrier.takeSlots(1);
    expect(newcomer).toBeDefined();
    const home = answer('one 1');
    void submitOn(await further, { text: 'one 2' });
    const second = await until('the second segment', () => held[2]);
    expect(second.connection).toBe(home);
    answer('one 2');
    newcomer?.release();
    expect(await Promise.all(outcomes)).toMatchObject([{ kind: 'accepted' }, { kind: 'accepted' }]);
  });

  test('take receipts on any of them', async () => {
    const { smsc, subject } = await withBinds(3);
    for (const [index, connection] of smsc.connections.entries()) {
      connection.deliver(deliverBody({ message: `id:${index + 1} stat:DELIVRD` }));
    }
    await until('three acknowledgements', () => smsc.count(ID.deliverResponse) === 3);
    expect(subject.receipts.map(({ carrierMessageId }) => carrierMessageId).sort()).toEqual(['1', '2', '3']);
  });

  test('the carrier is up as long as one is, and what was on a lost one is in doubt', async () => {
    const { smsc, subject, carrier } = await withBinds(2, {
      windowSize: 1,
      reconnectMinMs: 60_000,
      reconnectMaxMs: 60_000,
    });
    const held: SeenSubmit[] = [];
    smsc.onSubmit = (submit) => held.push(submit);
    const outcomes = carrier.takeSlots(2).map((slot) => submitOn(slot));
    await until('both are at the carrier', () => held.length === 2);
    const [lost, kept] = held;
    lost?.connection.socket.destroy();
    kept?.connection.accept(kept, 'kept');
    const kinds = (await Promise.all(outcomes)).map(({ kind }) => kind).sort();
    expect(kinds).toEqual(['accepted', 'in-doubt']);
    expect(carrier.state).toBe('bound');
    expect(subject.states.at(-1)).toBe('bound');
    expect(carrier.takeSlots(10)).toHaveLength(1);
    expect(carrier.bindStates.map(({ state }) => state).sort()).toEqual(['bound', 'down']);
  });

  test('are pairs where the carrier reports only to a receiver', async () => {
    const { smsc, subject, carrier } = await aCarrier({ binds: 2, bindMode: 'transmitter+receiver' });
    await until('four binds', () => boundCount(subject) === 4);
    expect([smsc.count(ID.bindTransmitter), smsc.count(ID.bindReceiver)]).toEqual([2, 2]);
    await carrier.setBinds(1);
    await until('two connections', () => openConnections(smsc).length === 2);
    expect(carrier.bindStates.map(({ role }) => role)).toEqual(['transmitter', 'receiver']);
  });

  test('an operator sees of each what it is for, how it stands and since when', async () => {
    const before = new Date();
    const { carrier } = await withBinds(2);
    for (const { role, state, boundSince } of carrier.bindStates) {
      expect({ role, state }).toEqual({ role: 'transceiver', state: 'bound' });
      expect(boundSince?.getTime()).toBeGreaterThanOrEqual(before.getTime());
    }
  });
});

describe('changing the number of binds', () => {
  test('more are connected at once and used', async () => {
    const { smsc, subject, carrier } = await withBinds(1, { windowSize: 2 });
    await carrier.setBinds(3);
    await untilBinds(subject, 3);
    expect(smsc.connections).toHaveLength(3);
    expect(carrier.takeSlots(100)).toHaveLength(6);
  });

  test('one that is let go finishes its messages, whole, and takes no new ones', async () => {
    const { smsc, subject, carrier } = await withBinds(2, { windowSize: 1 });
    const held: SeenSubmit[] = [];
    smsc.onSubmit = (submit) => held.push(submit);
    const slots = carrier.takeSlots(2);
    const outcomes: Array<Promise<SubmitOutcome>> = slots.map((slot, index) => submitOn(slot, { text: `${index}` }));
    await until('both are at the carrier', () => held.length === 2);
    const done = carrier.setBinds(1);
    const leaving = await until('one is closing', () => carrier.bindStates.find(({ state }) => state === 'closing'));
    expect(leaving.boundSince).toBeDefined();
    expect(smsc.count(ID.unbind)).toBe(0);
    // Further segments of both messages, whichever bind they are on.
    const further = slots.map((slot) => slot.another());
    for (const submit of held.splice(0)) submit.connection.accept(submit, 'a');
    const secondSlots = await Promise.all(further);
    for (const slot of secondSlots) outcomes.push(submitOn(slot, { text: 'second' }));
    await until('both second segments', () => held.length === 2);
    expect(new Set(held.map(({ connection }) => connection)).size).toBe(2);
    for (const submit of held.splice(0)) submit.connection.accept(submit, 'b');
    expect((await Promise.all(outcomes)).map(({ kind }) => kind)).toEqual(Array(4).fill('accepted'));
    await done;
    expect(smsc.count(ID.unbind)).toBe(1);
    await until('one connection', () => openConnections(smsc).length === 1);
    expect(carrier.takeSlots(100)).toHaveLength(1);
    await untilBinds(subject, 1);
  });

  test('letting go is bounded: what has no answer by then is in doubt', async () => {
    const { smsc, carrier } = await withBinds(2, { windowSize: 1, responseTimeoutMs: 150 });
    smsc.onSubmit = () => undefined;
    smsc.onUnbind = () => undefined;
    const outcomes = carrier.takeSlots(2).map((slot) => submitOn(slot));
    await carrier.setBinds(0);
    expect((await Promise.all(outcomes)).map(({ kind }) => kind)).toEqual(['in-doubt', 'in-doubt']);
    expect(carrier.bindStates).toEqual([]);
  });

  test('none are held after 0, and the carrier comes back with the next', async () => {
    const { smsc, subject, carrier } = await withBinds(2);
    await carrier.setBinds(0);
    await until('no connection', () => openConnections(smsc).length === 0);
    expect([carrier.state, carrier.bindStates, carrier.takeSlots(1)]).toEqual(['down', [], []]);
    expect(subject.states.at(-1)).toBe('down');
    await carrier.setBinds(1);
    await subject.untilBound();
    expect(await subject.submit()).toMatchObject({ kind: 'accepted' });
  });

  test('one that is not up goes first', async () => {
    const { smsc, carrier } = await withBinds(2, { reconnectMinMs: 60_000, reconnectMaxMs: 60_000 });
    const [first, second] = smsc.connections;
    first?.socket.destroy();
    await until('one is down', () => carrier.bindStates.some(({ state }) => state === 'down'));
    await carrier.setBinds(1);
    expect(carrier.bindStates.map(({ state }) => state)).toEqual(['bound']);
    expect(second?.isClosed).toBe(false);
  });

  test('closing the carrier also ends those that are being let go', async () => {
    const { smsc, carrier } = await withBinds(2, { windowSize: 1 });
    smsc.onSubmit = () => undefined;
    const outcomes = carrier.takeSlots(2).map((slot) => submitOn(slot));
    const letGo = carrier.setBinds(1);
    await carrier.close(50);
    await letGo;
    expect((await Promise.all(outcomes)).map(({ kind }) => kind)).toEqual(['in-doubt', 'in-doubt']);
    await until('no connection', () => openConnections(smsc).length === 0);
  });

  test.each([-1, 1.5, 101, Number.NaN])('%s is no number of binds', async (count) => {
    const { carrier } = await withBinds(1);
    await expect(carrier.setBinds(count)).rejects.toThrow(RangeError);
  });
});
