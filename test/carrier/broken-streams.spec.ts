import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { LostFramingError, type Pdu, PduFramer } from '../../libs/carrier/smpp/pdu.js';
import { aCarrier } from '../support/a-carrier.js';
import { fuzz } from '../support/fuzz.js';
import { deliverBody, ID, pduBytes } from '../support/scripted-smsc.js';
import { aSegment, reasonsIn } from '../support/test-carrier.js';
import { until } from '../support/until.js';

function lengthOnly(length: number): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32BE(length, 0);
  return bytes;
}

describe('octets that are no SMPP', () => {
  test.each([0, 3, 8, 15, 70_001, 0x7fffffff, 0xffffffff])(
    'a command_length of %i settles what was pending and leads to a new bind that works',
    async (length) => {
      const { smsc, subject, carrier } = await aCarrier();
      smsc.onSubmit = () => undefined;
      const pending = carrier.takeSlots(1)[0]?.submit(aSegment());
      await until('the submit', () => smsc.submits[0]);
      smsc.connection.socket.write(lengthOnly(length));
      expect(await pending).toEqual({ kind: 'in-doubt', code: 'BIND_LOST' });
      await until('a second bind', () => smsc.count(ID.bindTransceiver) === 2);
      smsc.onSubmit = (submit) => submit.connection.accept(submit, '1');
      await subject.untilBound();
      expect(await subject.submit()).toMatchObject({ kind: 'accepted' });
      expect(reasonsIn(subject)).toEqual([`a PDU of ${length} octets cannot be`]);
    },
  );

  test('a PDU that never ends is noticed by silence', async () => {
    const { smsc, subject } = await aCarrier({ enquireLinkIntervalMs: 40, enquireLinkTimeoutMs: 60 });
    smsc.connection.socket.write(lengthOnly(60_000));
    await until('a second bind', () => smsc.count(ID.bindTransceiver) === 2);
    expect(reasonsIn(subject)).toContain('no answer to enquire_link');
  });

  test('a TLV that is cut off neither costs the receipt nor deafens the session', async () => {
    const { smsc, subject } = await aCarrier();
    const cutOff = Buffer.from([0x04, 0x27, 0x00, 0x09, 0x02]);
    smsc.connection.deliver(deliverBody({ message: 'id:1 stat:DELIVRD', tlvs: [cutOff] }));
    smsc.connection.deliver(deliverBody({ message: 'id:2 stat:DELIVRD' }));
    await until('both are acknowledged', () => smsc.count(ID.deliverResponse) === 2);
    expect(subject.receipts.map(({ carrierMessageId }) => carrierMessageId)).toEqual(['1', '2']);
    expect(await subject.submit()).toMatchObject({ kind: 'accepted' });
  });

  test('a payload of 64 KiB is legal', async () => {
    const { smsc, subject } = await aCarrier();
    const text = `id:1 stat:DELIVRD err:000 text:${'x'.repeat(65_000)}`;
    const head = Buffer.from([0x04, 0x24, text.length >> 8, text.length & 0xff]);
    smsc.connection.deliver(deliverBody({ tlvs: [head, Buffer.from(text)] }));
    await until('the receipt', () => subject.receipts[0]);
    expect(smsc.connections).toHaveLength(1);
  });

  test.each(['one octet at a time', 'many PDUs in one chunk'])(
    'PDUs that arrive %s are read all the same',
    async (how) => {
      const { smsc, subject } = await aCarrier();
      const stream = Buffer.concat(
        [1, 2, 3].map((id) => pduBytes(ID.deliver, 0, id, deliverBody({ message: `id:${id} stat:DELIVRD` }))),
      );
      if (how.startsWith('one')) {
        for (const octet of stream) {
          smsc.connection.socket.write(Buffer.from([octet]));
          await new Promise((resolve) => setImmediate(resolve));
        }
      } else {
        smsc.connection.socket.write(stream);
      }
      await until('three receipts', () => subject.receipts.length === 3);
    },
  );

  test('whatever arrives after the bind, the carrier is bound again and answers', async () => {
    const { smsc, subject } = await aCarrier({ enquireLinkIntervalMs: 20, enquireLinkTimeoutMs: 20 });
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), async (octets) => {
        await until('bound', () => subject.carrier.state === 'bound' && !smsc.connection.isClosed);
        smsc.connection.socket.write(octets);
        for (;;) {
          const outcome = await subject.submit();
          if (outcome.kind === 'accepted') return;
        }
      }),
      fuzz(25),
    );
  });

  test('however the stream is cut, the framer finds the same PDUs or the same fault', () => {
    const pdu = fc
      .tuple(fc.nat(0xffffffff), fc.nat(0xffffffff), fc.nat(0xffffffff), fc.uint8Array({ maxLength: 60 }))
      .map(([command, status, sequence, body]) => pduBytes(command, status, sequence, Buffer.from(body)));
    const fault = fc.constantFrom(0, 3, 15, 70_001).map(lengthOnly);
    fc.assert(
      fc.property(fc.array(pdu, { maxLength: 8 }), fc.option(fault), fc.array(fc.nat(90)), (pdus, broken, cuts) => {
        const stream = Buffer.concat([...pdus, ...(broken === null ? [] : [broken])]);
        const framer = new PduFramer();
        const found: Buffer[] = [];
        const note = ({ command, status, sequence, body }: Pdu) =>
          found.push(pduBytes(command, status, sequence, body));
        const feed = () => {
          let at = 0;
          for (const cut of cuts) {
            framer.push(stream.subarray(at, at + cut), note);
            at = Math.min(stream.length, at + cut);
          }
          framer.push(stream.subarray(at), note);
        };
        if (broken === null) feed();
        else expect(feed).toThrow(LostFramingError);
        expect(Buffer.concat(found)).toEqual(Buffer.concat(pdus));
      }),
      fuzz(500),
    );
  });
});
