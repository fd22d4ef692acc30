import type { Socket } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { closedAfterEach } from '../support/carriers-after-each.js';
import { ID } from '../support/scripted-smsc.js';
import { reasonsIn, TestCarrier } from '../support/test-carrier.js';
import { until } from '../support/until.js';

const { anSmsc, closeAtEnd } = closedAfterEach();

describe('why a bind is down', () => {
  test.each([
    ['closes', (socket: Socket) => socket.end()],
    ['resets', (socket: Socket) => socket.resetAndDestroy()],
  ])(
    'a carrier that %s the connection instead of answering the bind points at user and password',
    async (_how, close) => {
      const smsc = await anSmsc();
      smsc.onBind = ({ connection }) => void close(connection.socket);
      const subject = closeAtEnd(new TestCarrier(smsc));
      subject.carrier.start();
      await until('a fault', () => subject.faults.length >= 1);
      const reason =
        'the carrier closed the connection before it answered the bind; check user and password, ' +
        'and whether the port wants TLS';
      expect(subject.faults[0]).toBe(reason);
      expect(reasonsIn(subject)[0]).toBe(reason);
    },
  );

  test.each([
    ['an alert of TLS', Buffer.from([0x15, 3, 3, 0, 2, 2, 10])],
    ['HTTP', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ])('a port that answers the bind with %s points at host, port and TLS', async (_what, answer) => {
    const smsc = await anSmsc();
    smsc.onBind = ({ connection }) => void connection.socket.end(answer);
    const subject = closeAtEnd(new TestCarrier(smsc));
    subject.carrier.start();
    await until('a fault', () => subject.faults.length >= 1);
    expect(subject.faults[0]).toBe(
      'the carrier answered the bind with octets that are no SMPP; check host and port, ' +
        'and whether the port wants TLS',
    );
  });

  test('each reason why a bind is down is told once, and without the password', async () => {
    const smsc = await anSmsc();
    const accept = smsc.onBind;
    smsc.onBind = (pdu) => pdu.connection.respond(pdu, 0x0d);
    const subject = closeAtEnd(new TestCarrier(smsc));
    subject.carrier.start();
    await until('a refusal', () => subject.faults.length === 1);
    smsc.onBind = accept;
    await subject.untilBound();
    smsc.connection.socket.end();
    await until('a lost bind', () => subject.faults.length === 2);
    await smsc.close();
    await until(
      'a refused connection',
      () => subject.faults.at(-1) === 'the carrier refused the connection (ECONNREFUSED)',
    );
    expect(subject.faults.slice(0, 2)).toEqual([
      'the carrier refused the bind: ESME_RBINDFAIL',
      'the carrier closed the connection',
    ]);
    expect(JSON.stringify(subject.faults)).not.toContain('secret-pw');
  });

  test('of two binds the one that is down is named', async () => {
    const smsc = await anSmsc();
    const accept = smsc.onBind;
    smsc.onBind = (pdu) => (pdu.command === ID.bindReceiver ? pdu.connection.respond(pdu, 0x0d) : accept(pdu));
    const subject = closeAtEnd(await TestCarrier.bound(smsc, { bindMode: 'transmitter+receiver' }));
    await until('a fault', () => subject.faults.length >= 1);
    expect(subject.faults[0]).toBe('receiver: the carrier refused the bind: ESME_RBINDFAIL');
  });
});
