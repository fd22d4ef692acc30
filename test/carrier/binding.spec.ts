import { describe, expect, test } from '@jest/globals';
import { closedAfterEach } from '../support/carriers-after-each.js';
import { cString, deliverBody, ID } from '../support/scripted-smsc.js';
import { reasonsIn, TestCarrier } from '../support/test-carrier.js';
import { until } from '../support/until.js';

const WRONG_PASSWORD = 'the carrier refused the bind: ESME_RINVPASWD; check user and password';

const { anSmsc, closeAtEnd } = closedAfterEach();

describe('binding to a carrier', () => {
  test('the bind says who we are, in SMPP 3.4', async () => {
    const smsc = await anSmsc();
    closeAtEnd(await TestCarrier.bound(smsc, { systemType: 'vma' }));
    const [bind] = smsc.seen;
    expect(bind?.command).toBe(ID.bindTransceiver);
    expect(bind?.body).toEqual(
      Buffer.concat([cString('esme'), cString('secret-pw'), cString('vma'), Buffer.from([0x34, 0, 0, 0])]),
    );
  });

  test('a transmitter submits and a receiver receives where the carrier wants two binds', async () => {
    const smsc = await anSmsc();
    const subject = closeAtEnd(await TestCarrier.bound(smsc, { bindMode: 'transmitter+receiver' }));
    const receiver = await until('a receiver', () => smsc.seen.find((pdu) => pdu.command === ID.bindReceiver));
    expect(await subject.submit()).toMatchObject({ kind: 'accepted' });
    expect(smsc.submits[0]?.connection).toBe(smsc.seen.find((pdu) => pdu.command === ID.bindTransmitter)?.connection);
    receiver.connection.deliver(deliverBody({ message: 'id:9 stat:DELIVRD err:000' }));
    await until('the receipt is acknowledged', () => smsc.count(ID.deliverResponse) === 1);
    expect(subject.receipts).toMatchObject([{ carrierMessageId: '9', state: 'delivered' }]);
  });

  test('a wrong password is one clear error line and is not tried again soon', async () => {
    const smsc = await anSmsc();
    smsc.onBind = (pdu) => pdu.connection.respond(pdu, 0x0e);
    const subject = closeAtEnd(new TestCarrier(smsc, { reconnectMinMs: 1, reconnectMaxMs: 600_000 }));
    subject.carrier.start();
    const line = await until('an error line', () => subject.logLines.find(({ level }) => level === 'error'));
    expect(line.message).toBe('the carrier refuses the bind: check user and password');
    expect(line.fields).toMatchObject({ carrier: 'test', reason: WRONG_PASSWORD });
    expect(subject.faults).toEqual([WRONG_PASSWORD]);
    expect(line.fields).toHaveProperty('retryInMs', expect.any(Number));
    expect((line.fields as { retryInMs: number }).retryInMs).toBeGreaterThanOrEqual(300_000);
    expect(subject.carrier.state).toBe('down');
    expect(subject.carrier.takeSlots(1)).toEqual([]);
    expect(JSON.stringify(subject.logLines)).not.toContain('secret-pw');
  });

  test.each([
    ['ESME_RSYSERR', 0x08],
    ['ESME_RBINDFAIL', 0x0d],
  ])('a bind that is refused for a passing reason, %s, is tried again', async (_name, status) => {
    const smsc = await anSmsc();
    let refusals = 0;
    const accept = smsc.onBind;
    smsc.onBind = (pdu) => (++refusals <= 2 ? pdu.connection.respond(pdu, status) : accept(pdu));
    closeAtEnd(await TestCarrier.bound(smsc));
    expect(smsc.connections).toHaveLength(3);
  });

  test.each([
    ['ESME_RBINDFAIL', 0x0d],
    ['ESME_RALYBND', 0x05],
    ['ESME_RSYSERR', 0x08],
    ['ESME_RTHROTTLED', 0x58],
    ['a code of its own', 0x411],
  ])('a carrier that refuses binds with %s for a while is bound soon after it comes back', async (_name, status) => {
    const smsc = await anSmsc();
    const accept = smsc.onBind;
    smsc.onBind = (pdu) => pdu.connection.respond(pdu, status);
    const subject = closeAtEnd(new TestCarrier(smsc, { reconnectMinMs: 5, reconnectMaxMs: 40 }));
    subject.carrier.start();
    await until('eight refusals', () => smsc.count(ID.bindTransceiver) >= 8);
    smsc.onBind = accept;
    const refused = smsc.count(ID.bindTransceiver);
    await subject.untilBound();
    // At most one attempt was under way when it came back.
    expect(smsc.count(ID.bindTransceiver)).toBeLessThanOrEqual(refused + 2);
    expect(subject.logLines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test.each<[number, 'response' | 'generic_nack']>([
    [0x0e, 'response'],
    [0x0f, 'response'],
    [0x53, 'response'],
    [0x0e, 'generic_nack'],
  ])('status %i of a bind is for a person to mend, and still tried again, if it comes as %s', async (status, as) => {
    const smsc = await anSmsc();
    const accept = smsc.onBind;
    smsc.onBind = (pdu) =>
      as === 'response'
        ? pdu.connection.respond(pdu, status)
        : pdu.connection.send(ID.genericNack, status, pdu.sequence);
    const subject = closeAtEnd(new TestCarrier(smsc, { reconnectMinMs: 1, reconnectMaxMs: 100 }));
    subject.carrier.start();
    await until('two refusals', () => subject.logLines.filter(({ level }) => level === 'error').length >= 2);
    smsc.onBind = accept;
    await subject.untilBound();
  });

  test('a carrier that closes right after every bind is not hammered', async () => {
    const smsc = await anSmsc();
    const accept = smsc.onBind;
    smsc.onBind = (pdu) => {
      accept(pdu);
      pdu.connection.socket.end();
    };
    const subject = closeAtEnd(
      new TestCarrier(smsc, { reconnectMinMs: 100, reconnectMaxMs: 600 }, { random: () => 0.5 }),
    );
    subject.carrier.start();
    const pauses = () =>
      subject.logLines.flatMap(({ fields }) => ('retryInMs' in fields ? [Number(fields.retryInMs)] : []));
    await until('four attempts', () => pauses().length >= 4);
    expect(pauses().slice(0, 4)).toEqual([150, 250, 350, 350]);
    smsc.onBind = accept;
    const bindsBefore = smsc.count(ID.bindTransceiver);
    await until('a bind that holds', () => smsc.count(ID.bindTransceiver) > bindsBefore);
    await subject.untilBound();
    expect(await subject.submit()).toMatchObject({ kind: 'accepted' });
  });

  test.each(['', 'longer-than-8-octets-and-still-accepted'])('the password %j is sent as it is', async (password) => {
    const smsc = await anSmsc();
    closeAtEnd(await TestCarrier.bound(smsc, { password }));
    expect(smsc.seen[0]?.body).toEqual(
      Buffer.concat([cString('esme'), cString(password), cString(''), Buffer.from([0x34, 0, 0, 0])]),
    );
  });

  test('the bind says the version and the addresses that the carrier wants to hear', async () => {
    const smsc = await anSmsc();
    const settings = { interfaceVersion: '3.3', addressTon: 1, addressNpi: 8, addressRange: '^4670' } as const;
    closeAtEnd(await TestCarrier.bound(smsc, settings));
    const expected = [cString('esme'), cString('secret-pw'), cString(''), Buffer.from([0x33, 1, 8]), cString('^4670')];
    expect(smsc.seen[0]?.body).toEqual(Buffer.concat(expected));
  });

  test('the pauses between attempts grow to their bound and are spread at random', async () => {
    const smsc = await anSmsc();
    smsc.onBind = (pdu) => pdu.connection.socket.destroy();
    const subject = closeAtEnd(
      new TestCarrier(smsc, { reconnectMinMs: 10, reconnectMaxMs: 60 }, { random: () => 0.5 }),
    );
    subject.carrier.start();
    const pauses = () => subject.logLines.map(({ fields }) => (fields as { retryInMs?: number }).retryInMs);
    await until('five attempts', () => pauses().length >= 5);
    expect(pauses().slice(0, 5)).toEqual([15, 25, 35, 35, 35]);
  });

  test.each([
    // A TLS handshake with a carrier that does not speak TLS never ends.
    [
      'never completes the connection',
      { connectTimeoutMs: 60, tls: true },
      'the connection with TLS was not made within 60 ms',
    ],
    [
      'gives no answer to the bind',
      { responseTimeoutMs: 60, password: 'short-pw' },
      'no answer to the bind within 60 ms',
    ],
    [
      'gives no answer to a bind with a long password',
      { responseTimeoutMs: 60 },
      'no answer to the bind within 60 ms; its password is longer than 8 octets',
    ],
  ])('a carrier that %s is tried again', async (_what, settings, reason) => {
    const smsc = await anSmsc();
    smsc.onBind = () => undefined;
    const subject = closeAtEnd(new TestCarrier(smsc, settings));
    subject.carrier.start();
    await until('two failed attempts', () => subject.logLines.length >= 2);
    expect(reasonsIn(subject).slice(0, 2)).toEqual([reason, reason]);
    expect(subject.states.slice(0, 4)).toEqual(['connecting', 'down', 'connecting', 'down']);
    expect(subject.faults.slice(0, 2)).toEqual([reason, reason]);
  });

  test('silence is answered with enquire_link, and no answer to that with a new bind', async () => {
    const smsc = await anSmsc();
    const subject = closeAtEnd(await TestCarrier.bound(smsc, { enquireLinkIntervalMs: 40, enquireLinkTimeoutMs: 300 }));
    await until('two answered enquire_links', () => smsc.count(ID.enquireLink) >= 2);
    expect(smsc.connections).toHaveLength(1);
    smsc.onEnquireLink = () => undefined;
    const [first] = smsc.connections;
    await until('a second bind', () => smsc.count(ID.bindTransceiver) === 2);
    await until('the dead connection is closed', () => first?.isClosed);
    expect(reasonsIn(subject)).toContain('no answer to enquire_link');
  });

  test('enquire_link, unbind and unknown requests of the carrier are answered', async () => {
    const smsc = await anSmsc();
    const subject = closeAtEnd(await TestCarrier.bound(smsc));
    const { connection } = smsc;
    connection.send(ID.enquireLink, 0, 71);
    connection.send(0x00010200, 0, 72);
    connection.send(ID.unbind, 0, 73);
    await until('the connection is closed by us', () => connection.isClosed);
    const answers = smsc.seen.slice(1, 4).map(({ command, status, sequence }) => [command, status, sequence]);
    expect(answers).toEqual([
      [ID.enquireLinkResponse, 0, 71],
      [ID.genericNack, 0x03, 72],
      [ID.unbindResponse, 0, 73],
    ]);
    await until('a second bind', () => smsc.count(ID.bindTransceiver) === 2);
    await subject.untilBound();
  });
});
