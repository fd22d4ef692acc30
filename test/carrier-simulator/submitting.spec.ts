import { describe, expect, test } from '@jest/globals';
import { boundClient, simulator } from './harness.js';
import { messageIdOf, type SubmitFields, uint16 } from './raw-client.js';

describe('submit_sm', () => {
  test('is recorded with everything that the wire said', async () => {
    const running = await simulator();
    const raw = await boundClient(running);
    const answer = await raw.submit({
      destination: '447700900999',
      registeredDelivery: 1,
      validityPeriod: '000001000000000R',
      userData: Buffer.from('Hi \0'),
      tlvs: [[0x0204, uint16(4711)]],
    });
    expect(running.records.submits).toEqual([
      expect.objectContaining({
        systemId: 'test',
        source: { ton: 5, npi: 0, value: 'Heliograph' },
        destination: { ton: 1, npi: 1, value: '447700900999' },
        text: 'Hi @',
        octets: '48692000',
        concatenation: undefined,
        dataCoding: 0,
        esmClass: 0,
        registeredDelivery: 1,
        validityPeriod: '000001000000000R',
        userMessageReference: 4711,
        status: 0,
        isTaken: true,
        messageId: messageIdOf(answer),
      }),
    ]);
  });

  test.each([
    ['decimal', /^[1-9][0-9]{14,}$/],
    ['hex', /^[1-9a-f][0-9a-f]{11,}$/],
    ['padded', /^0[0-9]{19}$/],
    ['uuid', /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/],
  ] as const)('gets message ids in the form %s, each its own', async (messageIdForm, form) => {
    const raw = await boundClient(await simulator({ messageIdForm }));
    const ids = [messageIdOf(await raw.submit()), messageIdOf(await raw.submit())];
    expect(ids).toEqual([expect.stringMatching(form), expect.stringMatching(form)]);
    expect(ids[0]).not.toBe(ids[1]);
  });

  test('is answered after the latency, not before', async () => {
    const raw = await boundClient(await simulator({ latencyMs: 120 }));
    const start = performance.now();
    await raw.submit();
    expect(performance.now() - start).toBeGreaterThanOrEqual(115);
  });

  test('is throttled above the rate, and taken again in the next second', async () => {
    const raw = await boundClient(await simulator({ submitsPerSecond: 5 }));
    const answers = await Promise.all(Array.from({ length: 8 }, () => raw.submit()));
    expect(answers.map(({ status }) => status)).toEqual([0, 0, 0, 0, 0, 0x58, 0x58, 0x58]);
    let status = 0x58;
    while (status === 0x58) status = (await raw.submit()).status;
    expect(status).toBe(0);
  });

  test('is throttled above the window of unanswered ones', async () => {
    const raw = await boundClient(await simulator({ latencyMs: 100, windowSize: 3 }));
    const statuses = (await Promise.all(Array.from({ length: 5 }, () => raw.submit()))).map(({ status }) => status);
    expect(statuses).toEqual([0, 0, 0, 0x58, 0x58]);
    expect(await raw.submit()).toMatchObject({ status: 0 });
  });

  test('behaves anew from the next PDU after setBehaviour', async () => {
    const running = await simulator();
    const raw = await boundClient(running);
    expect(await raw.submit()).toMatchObject({ status: 0 });
    running.setBehaviour({ refuseRate: 1 });
    expect(await raw.submit()).toMatchObject({ status: 0x0b });
    running.setBehaviour({ refuseRate: 0 });
    expect(await raw.submit()).toMatchObject({ status: 0 });
  });

  const header = Buffer.from([5, 0, 3, 7, 2, 1]);
  const rules: [string, SubmitFields, number][] = [
    ['160 characters in the default alphabet', { userData: Buffer.alloc(160, 0x61) }, 0],
    ['161 characters in the default alphabet', { userData: Buffer.alloc(161, 0x61) }, 0x01],
    ['153 characters after the 8-bit header', { esmClass: 0x40, userData: joined(header, 153) }, 0],
    ['154 characters after the 8-bit header', { esmClass: 0x40, userData: joined(header, 154) }, 0x01],
    ['70 UTF-16 units', { dataCoding: 8, userData: Buffer.alloc(140) }, 0],
    ['71 UTF-16 units', { dataCoding: 8, userData: Buffer.alloc(142) }, 0x01],
    ['half a UTF-16 unit', { dataCoding: 8, userData: Buffer.alloc(3) }, 0x01],
    [
      '134 octets of UTF-16 after the 8-bit header',
      { dataCoding: 8, esmClass: 0x40, userData: joined(header, 134) },
      0,
    ],
    ['135 octets after the 8-bit header', { dataCoding: 8, esmClass: 0x40, userData: joined(header, 135) }, 0x01],
    ['a payload longer than a segment', { userData: Buffer.alloc(0), tlvs: [[0x0424, Buffer.alloc(2_000, 0x61)]] }, 0],
    ['an empty destination', { destination: '' }, 0x0b],
    ['a destination with a plus', { destination: '+447700900123' }, 0x0b],
    ['a destination of 21 digits', { destination: '1'.repeat(21) }, 0x0b],
    ['an alphanumeric sender of 12 characters', { source: 'Twelve chars' }, 0x0a],
    ['a numeric sender of 15 digits', { source: '447700900123456', sourceTon: 1 }, 0],
    ['a validity period of a wrong length', { validityPeriod: '000001' }, 0x62],
  ];
  test.each(rules)('with %s is judged as a strict carrier does', async (_name, fields, status) => {
    const running = await simulator();
    const raw = await boundClient(running);
    expect(await raw.submit(fields)).toMatchObject({ status });
    expect(running.records.submits).toEqual([expect.objectContaining({ status, isTaken: status === 0 })]);
  });

  test('with unknown optional parameters is taken', async () => {
    const running = await simulator();
    const raw = await boundClient(running);
    expect(await raw.submit({ tlvs: [[0x1400, Buffer.from('vendor')]] })).toMatchObject({ status: 0 });
  });
});

function joined(header: Buffer, octets: number): Buffer {
  return Buffer.concat([header, Buffer.alloc(octets, 0x61)]);
}
