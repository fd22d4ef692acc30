import { describe, expect, test } from '@jest/globals';
import { aCarrier } from '../support/a-carrier.js';
import { ID, pduBytes, type SeenSubmit } from '../support/scripted-smsc.js';
import { aSegment, reasonsIn } from '../support/test-carrier.js';
import { until } from '../support/until.js';

describe('what carriers do besides', () => {
  test('an answer to enquire_link with a number that nobody asked is a sign of life', async () => {
    const { smsc, subject } = await aCarrier({ enquireLinkIntervalMs: 30, enquireLinkTimeoutMs: 200 });
    smsc.onEnquireLink = ({ connection }) => connection.send(ID.enquireLinkResponse, 0, 0);
    await until('five enquire_links', () => smsc.count(ID.enquireLink) >= 5);
    expect(smsc.connections).toHaveLength(1);
    expect(await subject.submit()).toMatchObject({ kind: 'accepted' });
  });

  test('alert_notification and responses to nothing are passed over, other requests get a generic_nack', async () => {
    const { smsc, subject } = await aCarrier();
    smsc.connection.send(ID.alertNotification, 0, 1, Buffer.from([1, 1, 0x34, 0, 1, 1, 0x35, 0]));
    smsc.connection.send(0x80000102, 0, 2);
    smsc.connection.send(0x80000003, 0, 3);
    smsc.connection.send(0x00000003, 0, 4);
    smsc.connection.send(0x00010203, 0, 5);
    expect(await subject.submit()).toMatchObject({ kind: 'accepted' });
    const nacks = smsc.seen.filter(({ command }) => command === ID.genericNack);
    expect(nacks.map(({ sequence, status }) => [sequence, status])).toEqual([
      [4, 0x03],
      [5, 0x03],
    ]);
    expect(smsc.connections).toHaveLength(1);
  });

  test.each([
    ['enquire_links', ID.enquireLink, Buffer.alloc(0), ID.enquireLinkResponse],
    ['deliveries that nobody can read', ID.deliver, Buffer.from([0]), ID.deliverResponse],
  ])('20,000 %s at once are answered, and the bind stays', async (_what, command, body, answer) => {
    const { smsc, subject } = await aCarrier();
    const flood = Array.from({ length: 20_000 }, (_, index) => pduBytes(command, 0, index + 1, body));
    smsc.connection.socket.write(Buffer.concat(flood));
    await until('the last answer', () => smsc.seen.at(-1)?.sequence === 20_000, 30_000);
    expect(smsc.count(answer)).toBe(20_000);
    expect(smsc.connections).toHaveLength(1);
    expect(await subject.submit()).toMatchObject({ kind: 'accepted' });
  });

  test('a carrier that unbinds in mid window gets to answer what it has, and nothing new', async () => {
    const { smsc, subject } = await aCarrier({ windowSize: 3 });
    const held: SeenSubmit[] = [];
    smsc.onSubmit = (submit) => held.push(submit);
    const slots = subject.carrier.takeSlots(3);
    const outcomes = slots.slice(0, 2).map((slot) => slot.submit(aSegment()));
    await until('two submits', () => held.length === 2);
    const { connection } = smsc;
    connection.send(ID.unbind, 0, 77);
    connection.send(ID.enquireLink, 0, 78);
    await until('the unbind was read', () => smsc.count(ID.enquireLinkResponse) === 1);
    expect(smsc.count(ID.unbindResponse)).toBe(0);
    expect(subject.carrier.takeSlots(1)).toEqual([]);
    expect(await slots[2]?.submit(aSegment())).toEqual({ kind: 'not-sent', code: 'BIND_DOWN' });
    for (const submit of held) connection.accept(submit, 'taken');
    expect((await Promise.all(outcomes)).map(({ kind }) => kind)).toEqual(['accepted', 'accepted']);
    await until('the answer to the unbind', () => smsc.count(ID.unbindResponse) === 1);
    await until('a second bind', () => smsc.count(ID.bindTransceiver) === 2);
  });

  test('a carrier that unbinds and answers nothing more leaves its submits in doubt after two seconds', async () => {
    const { smsc, subject } = await aCarrier();
    smsc.onSubmit = () => undefined;
    const outcome = (await subject.slots.take()).submit(aSegment());
    await until('the submit', () => smsc.submits[0]);
    smsc.connection.send(ID.unbind, 0, 77);
    expect(await outcome).toEqual({ kind: 'in-doubt', code: 'BIND_LOST' });
    await until('a second bind', () => smsc.count(ID.bindTransceiver) === 2);
    expect(smsc.count(ID.unbindResponse)).toBe(1);
  });

  test('a carrier that no longer takes the bind for one has its other responses counted, in the same chunk', async () => {
    const { smsc, subject } = await aCarrier({ windowSize: 4 });
    const held: SeenSubmit[] = [];
    smsc.onSubmit = (submit) => held.push(submit);
    const slots = subject.carrier.takeSlots(4);
    const outcomes = slots.slice(0, 3).map((slot) => slot.submit(aSegment()));
    await until('three submits', () => held.length === 3);
    const [refused, ...others] = held;
    const { connection } = smsc;
    connection.socket.cork();
    if (refused !== undefined) connection.respond(refused, 0x04);
    for (const submit of others) connection.accept(submit, 'taken');
    connection.socket.uncork();
    expect((await Promise.all(outcomes)).map(({ kind }) => kind)).toEqual(['temporary', 'accepted', 'accepted']);
    expect(await slots[3]?.submit(aSegment())).toEqual({ kind: 'not-sent', code: 'BIND_DOWN' });
    await until('a second bind', () => smsc.count(ID.bindTransceiver) === 2);
    expect(reasonsIn(subject)).toEqual(['the carrier no longer takes this bind for one']);
  });

  test('a carrier that no longer takes the bind for one, and then unbinds, may answer until two seconds are over', async () => {
    const { smsc, subject } = await aCarrier({ windowSize: 3 });
    const held: SeenSubmit[] = [];
    smsc.onSubmit = (submit) => held.push(submit);
    const outcomes = subject.carrier.takeSlots(3).map((slot) => slot.submit(aSegment()));
    await until('three submits', () => held.length === 3);
    const [refused, taken] = held;
    const { connection } = smsc;
    if (refused !== undefined) connection.respond(refused, 0x04);
    connection.send(ID.unbind, 0, 77);
    if (taken !== undefined) connection.accept(taken, 'taken');
    expect((await Promise.all(outcomes)).map(({ kind }) => kind)).toEqual(['temporary', 'accepted', 'in-doubt']);
    await until('a second bind', () => smsc.count(ID.bindTransceiver) === 2);
    expect(smsc.count(ID.unbindResponse)).toBe(1);
  });
});
