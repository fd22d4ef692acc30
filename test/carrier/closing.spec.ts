import { describe, expect, test } from '@jest/globals';
import { closedAfterEach } from '../support/carriers-after-each.js';
import { deliverBody, ID } from '../support/scripted-smsc.js';
import { aSegment, TestCarrier } from '../support/test-carrier.js';
import { until } from '../support/until.js';

const { anSmsc, closeAtEnd } = closedAfterEach();

describe('closing a carrier', () => {
  test('outstanding responses are waited for, then it unbinds and closes', async () => {
    const smsc = await anSmsc();
    const subject = closeAtEnd(await TestCarrier.bound(smsc));
    const { carrier } = subject;
    smsc.onSubmit = () => undefined;
    const [slot, unused] = carrier.takeSlots(2);
    const outcome = slot?.submit(aSegment());
    const submit = await until('the submit', () => smsc.submits[0]);
    const closed = carrier.close(5_000);
    expect(carrier.state).toBe('closing');
    expect(carrier.takeSlots(1)).toEqual([]);
    expect(await unused?.submit(aSegment())).toEqual({ kind: 'not-sent', code: 'CLOSING' });
    expect(smsc.count(ID.unbind)).toBe(0);
    submit.connection.accept(submit, 'done');
    expect(await outcome).toEqual({ kind: 'accepted', carrierMessageId: 'done' });
    await closed;
    expect(smsc.count(ID.unbind)).toBe(1);
    expect(carrier.state).toBe('down');
    expect(smsc.connections).toHaveLength(1);
  });

  test('a receipt that is being stored is stored and acknowledged first', async () => {
    const smsc = await anSmsc();
    let stored: () => void = () => undefined;
    const storing = new Promise<void>((resolve) => {
      stored = resolve;
    });
    const subject = closeAtEnd(await TestCarrier.bound(smsc, {}, { onReceipt: () => storing }));
    smsc.connection.deliver(deliverBody({ message: 'id:1 stat:DELIVRD' }));
    await until('the receipt arrived', () => subject.deliveries.length === 1);
    const closed = subject.carrier.close(5_000);
    stored();
    await closed;
    const order = smsc.seen.map(({ command }) => command);
    expect(order.slice(-2)).toEqual([ID.deliverResponse, ID.unbind]);
  });

  test('a carrier that answers nothing any more is left after the grace, its submits in doubt', async () => {
    const smsc = await anSmsc();
    const { carrier } = closeAtEnd(await TestCarrier.bound(smsc));
    smsc.onSubmit = () => undefined;
    smsc.onUnbind = () => undefined;
    const outcome = carrier.takeSlots(1)[0]?.submit(aSegment());
    await until('the submit', () => smsc.submits[0]);
    await carrier.close(50);
    expect(await outcome).toEqual({ kind: 'in-doubt', code: 'BIND_LOST' });
    expect(smsc.count(ID.unbind)).toBe(1);
  });

  test('a second call shortens the grace of the first one, and does not lengthen it', async () => {
    const smsc = await anSmsc();
    const { carrier } = closeAtEnd(await TestCarrier.bound(smsc));
    smsc.onSubmit = () => undefined;
    const outcome = carrier.takeSlots(1)[0]?.submit(aSegment());
    await until('the submit', () => smsc.submits[0]);
    const closed = carrier.close(60_000);
    await carrier.close(50);
    void carrier.close(60_000);
    await closed;
    expect(await outcome).toEqual({ kind: 'in-doubt', code: 'BIND_LOST' });
  });

  test('closing while there is no connection ends the attempts', async () => {
    const smsc = await anSmsc();
    smsc.onBind = (pdu) => pdu.connection.socket.destroy();
    const subject = closeAtEnd(new TestCarrier(smsc));
    subject.carrier.start();
    await until('an attempt failed', () => subject.logLines.length > 0);
    await subject.carrier.close(1_000);
    subject.carrier.start();
    const attempts = smsc.connections.length;
    const other = closeAtEnd(new TestCarrier(smsc, { reconnectMinMs: 60_000, reconnectMaxMs: 60_000 }));
    other.carrier.start();
    await until('the attempt of another carrier failed', () => other.logLines.length > 0);
    expect(smsc.connections.length).toBe(attempts + 1);
    expect(subject.carrier.state).toBe('down');
  });

  test('receipts that the carrier sends between our unbind and its answer are stored, acknowledged, and only then it is closed', async () => {
    const smsc = await anSmsc();
    let store: () => void = () => undefined;
    const storing = new Promise<void>((resolve) => {
      store = resolve;
    });
    let stored = 0;
    const onReceipt = async () => {
      await storing;
      stored += 1;
    };
    const subject = closeAtEnd(await TestCarrier.bound(smsc, {}, { onReceipt }));
    smsc.onUnbind = (pdu) => {
      for (let id = 1; id <= 10; id += 1) pdu.connection.deliver(deliverBody({ message: `id:${id} stat:DELIVRD` }));
      pdu.connection.respond(pdu);
    };
    let isClosed = false;
    const closed = subject.carrier.close(60_000).then(() => {
      isClosed = true;
    });
    await until('all were read', () => subject.deliveries.length === 10);
    expect(isClosed).toBe(false);
    store();
    await closed;
    expect(stored).toBe(10);
    await until('all are acknowledged', () => smsc.count(ID.deliverResponse) === 10);
    expect(smsc.seen.filter(({ command, status }) => command === ID.deliverResponse && status !== 0)).toEqual([]);
    await until('it is closed by us', () => smsc.connection.isClosed);
  });

  test('what a carrier sent before it hung up is stored before it counts as closed', async () => {
    const smsc = await anSmsc();
    const stored: Array<() => void> = [];
    const subject = closeAtEnd(
      await TestCarrier.bound(smsc, {}, { onReceipt: () => new Promise<void>((resolve) => stored.push(resolve)) }),
    );
    smsc.onUnbind = ({ connection }) => {
      connection.deliver(deliverBody({ message: 'id:1 stat:DELIVRD' }));
      connection.socket.end();
    };
    let isClosed = false;
    const closed = subject.carrier.close(60_000).then(() => {
      isClosed = true;
    });
    await until('it was read and the connection is gone', () => stored.length === 1 && smsc.connection.isClosed);
    expect(isClosed).toBe(false);
    for (const resolve of stored) resolve();
    await closed;
  });

  test('a receipt that nobody can store delays the end until the grace is over, and no longer', async () => {
    const smsc = await anSmsc();
    const never = new Promise<void>(() => undefined);
    const subject = closeAtEnd(await TestCarrier.bound(smsc, {}, { onReceipt: () => never }));
    smsc.connection.deliver(deliverBody({ message: 'id:1 stat:DELIVRD' }));
    await until('the receipt arrived', () => subject.deliveries.length === 1);
    await subject.carrier.close(50);
    expect(smsc.count(ID.deliverResponse)).toBe(0);
  });
});
