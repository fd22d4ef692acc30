import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FrameReader } from '../../apps/carrier-simulator/frame-reader.js';
import { PduError } from '../../apps/carrier-simulator/pdu-error.js';
import { fuzz } from '../support/fuzz.js';
import { boundClient, client, simulator } from './harness.js';
import { COMMAND, pdu, type RawClient, submitBody } from './raw-client.js';

describe('garbage on the wire', () => {
  test.each([0, 1, 4, 15, 66 * 1024 + 1, 0x7fff_ffff, 0xffff_ffff])(
    'a command_length of %d is answered generic_nack, and the connection is closed',
    async (length) => {
      const running = await simulator();
      const raw = await boundClient(running);
      const header = Buffer.alloc(16);
      header.writeUInt32BE(length, 0);
      raw.write(header);
      expect(await raw.response(0)).toMatchObject({ command: COMMAND.nack, status: 0x02 });
      await raw.until(() => raw.isClosed);
      expect(await (await boundClient(running)).submit()).toMatchObject({ status: 0 });
    },
  );

  test('a 64 KiB message_payload is legal', async () => {
    const raw = await boundClient(await simulator());
    const payload = Buffer.alloc(65_535, 0x61);
    expect(await raw.submit({ userData: Buffer.alloc(0), tlvs: [[0x0424, payload]] })).toMatchObject({ status: 0 });
  });

  test.each([
    ['an optional parameter cut in its value', Buffer.from([2, 4, 0, 9, 1])],
    ['an optional parameter cut in its head', Buffer.from([2, 4, 0])],
    ['an optional parameter of a wrong length', Buffer.from([2, 4, 0, 1, 9])],
  ])('%s is answered generic_nack, and the bind stays usable', async (_name, tail) => {
    const running = await simulator();
    const raw = await boundClient(running);
    const answer = await raw.request(COMMAND.submit, Buffer.concat([submitBody(), tail]));
    expect(answer).toMatchObject({ command: COMMAND.nack, status: 0xc0 });
    expect(await raw.submit()).toMatchObject({ status: 0 });
    expect(running.records.events).toContainEqual(
      expect.objectContaining({ kind: 'malformed', sequence: answer.sequence }),
    );
  });

  test('a submit_sm cut at any octet of its body is answered generic_nack', async () => {
    const raw = await boundClient(await simulator());
    const whole = submitBody();
    for (let length = 0; length < whole.length; length++) {
      const answer = await raw.request(COMMAND.submit, whole.subarray(0, length));
      expect(answer).toMatchObject({ command: COMMAND.nack, status: 0x02 });
    }
  });

  test('any octets at all cannot stop the simulator', async () => {
    const running = await simulator();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 4 }),
        fc.boolean(),
        async (chunks, bound) => {
          const raw = await client(running);
          if (bound) await raw.bind();
          for (const chunk of chunks) raw.write(Buffer.from(chunk));
          raw.close();
        },
      ),
      fuzz(150),
    );
    expect(await (await boundClient(running)).submit()).toMatchObject({ status: 0 });
  });

  test('any body under any command is answered, or closes the connection, and the next client is served', async () => {
    const running = await simulator();
    let raw: RawClient = await boundClient(running);
    const commands = fc.constantFrom(1, 2, 4, 5, 6, 9, 0x15, 0x103, 0x8000_0000, 0x8000_0005, 0x8000_0006, 0xffff_ffff);
    await fc.assert(
      fc.asyncProperty(commands, fc.uint8Array({ maxLength: 120 }), async (command, body) => {
        if (raw.isClosed) raw = await boundClient(running);
        const current = raw;
        current.write(pdu(command, 0x7000_0000, Buffer.from(body)));
        const probe = current.post(COMMAND.enquireLink);
        await current.until(() => current.isClosed || current.received.some(({ sequence }) => sequence === probe));
      }),
      fuzz(300),
    );
    expect(await (await boundClient(running)).submit()).toMatchObject({ status: 0 });
  });

  test('however a stream is cut, the same PDUs come out', () => {
    const whole = fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(whole, fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }), (bodies, cuts) => {
        const pdus = bodies.map((body, index) => pdu(4, index, Buffer.from(body)));
        const stream = Buffer.concat(pdus);
        const found: Buffer[] = [];
        const reader = new FrameReader();
        for (let offset = 0, turn = 0; offset < stream.length; turn++) {
          const end = offset + (cuts[turn % cuts.length] ?? 1);
          reader.push(stream.subarray(offset, end), (one) => found.push(Buffer.from(one)) > 0);
          offset = end;
        }
        expect(found).toEqual(pdus);
      }),
      fuzz(100),
    );
  });

  test('a stream that is no SMPP is refused at its first length', () => {
    expect(() => new FrameReader().push(Buffer.from('GET / HTTP/1.1\r\n'), () => true)).toThrow(PduError);
  });

  test('a peer that sends without ever reading does not make the memory grow without end', async () => {
    const running = await simulator({ receipts: 'off', keepRecords: false, messageIdForm: 'uuid' });
    const raw = await boundClient(running);
    raw.stopReading();
    const block = Buffer.concat(Array.from({ length: 1_000 }, () => pdu(COMMAND.submit, 1, submitBody())));
    const blocks = 600;
    for (let round = 0; round < blocks; round++) raw.write(block);
    // Answers fill the buffers of both sockets, then the outbox; then the simulator stops reading.
    const other = await boundClient(running);
    while (running.counters.pauses === 0) await other.request(COMMAND.enquireLink);
    expect(running.counters.submits).toBeLessThan(blocks * 1_000);
    const before = running.counters.submits;
    for (let round = 0; round < 20; round++) await other.request(COMMAND.enquireLink);
    expect(running.counters.submits).toBe(before);
    raw.close();
    expect(await (await boundClient(running)).submit()).toMatchObject({ status: 0 });
  });
});
