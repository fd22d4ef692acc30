import { describe, expect, test } from '@jest/globals';
import { aCarrier } from '../support/a-carrier.js';
import { cString, ID, ScriptedSmsc, tlv } from '../support/scripted-smsc.js';
import { TestCarrier } from '../support/test-carrier.js';
import { until } from '../support/until.js';

/** The body of a data_sm (SMPP 3.4 section 4.7.1). */
function dataBody(esmClass: number, ...tlvs: Buffer[]): Buffer {
  return Buffer.concat([
    cString(''),
    Buffer.from([1, 1]),
    cString('46700100200'),
    Buffer.from([5, 0]),
    cString('Heliograph'),
    Buffer.from([esmClass, 0, 0]),
    ...tlvs,
  ]);
}

const RECEIPT = [tlv(0x001e, cString('ABC1')), tlv(0x0427, Buffer.from([2])), tlv(0x0204, Buffer.from([0, 9]))];

describe('a receipt that comes as data_sm', () => {
  test.each([0x04, 0x00])('is one by its parameters, with esm_class %i', async (esmClass) => {
    const { smsc, subject } = await aCarrier();
    smsc.connection.send(ID.data, 0, 41, dataBody(esmClass, ...RECEIPT));
    await until('an answer', () => smsc.count(ID.dataResponse) === 1);
    expect(subject.receipts).toEqual([
      {
        carrierMessageId: 'abc1',
        userMessageReference: 9,
        destination: '46700100200',
        state: 'delivered',
        code: 'DELIVRD',
        isUnmarked: false,
      },
    ]);
    const answer = smsc.seen.find(({ command }) => command === ID.dataResponse);
    expect([answer?.status, answer?.sequence]).toEqual([0, 41]);
    expect(answer?.body).toEqual(Buffer.from([0]));
  });

  test('is one by the text of its payload', async () => {
    const { smsc, subject } = await aCarrier();
    const text = Buffer.from('id:77 sub:001 dlvrd:000 stat:UNDELIV err:034 text:');
    smsc.connection.send(ID.data, 0, 1, dataBody(0x04, tlv(0x0424, text)));
    await until('a receipt', () => subject.receipts[0]);
    expect(subject.receipts).toMatchObject([{ carrierMessageId: '77', state: 'undelivered', code: 'UNDELIV/034' }]);
  });

  test('is acknowledged only after it is stored, and left with the carrier when it cannot be', async () => {
    const storing: Array<{ done: () => void; failed: (error: Error) => void }> = [];
    const onReceipt = () => new Promise<void>((done, failed) => storing.push({ done, failed }));
    const smsc = await ScriptedSmsc.listen();
    const subject = await TestCarrier.bound(smsc, {}, { onReceipt });
    try {
      smsc.connection.send(ID.data, 0, 1, dataBody(0x04, ...RECEIPT));
      smsc.connection.send(ID.data, 0, 2, dataBody(0x04, ...RECEIPT));
      await until('both are being stored', () => storing.length === 2);
      smsc.connection.send(ID.enquireLink, 0, 3);
      await until('the session goes on meanwhile', () => smsc.count(ID.enquireLinkResponse) === 1);
      expect(smsc.count(ID.dataResponse)).toBe(0);
      storing[1]?.failed(new Error('database down'));
      storing[0]?.done();
      await until('both answers', () => smsc.count(ID.dataResponse) === 2);
      const answers = smsc.seen.filter(({ command }) => command === ID.dataResponse);
      expect(new Map(answers.map(({ sequence, status }) => [sequence, status]))).toEqual(
        new Map([
          [1, 0],
          [2, 0x64],
        ]),
      );
    } finally {
      await subject.carrier.close(0);
      await smsc.close();
    }
  });

  test('a message from a handset is acknowledged, a broken one rejected, and the session goes on', async () => {
    const { smsc, subject } = await aCarrier();
    smsc.connection.send(ID.data, 0, 1, dataBody(0x00, tlv(0x0424, Buffer.from('hello'))));
    smsc.connection.send(ID.data, 0, 2, Buffer.from([0, 1, 1, 0x34]));
    await until('two answers', () => smsc.count(ID.dataResponse) === 2);
    // The broken one waits for no database, so it may be answered first.
    const answers = smsc.seen.filter(({ command }) => command === ID.dataResponse);
    expect(new Map(answers.map(({ sequence, status }) => [sequence, status]))).toEqual(
      new Map([
        [1, 0],
        [2, 0x66],
      ]),
    );
    expect(subject.deliveries).toEqual(['mobile-originated', 'unreadable']);
    expect(await subject.submit()).toMatchObject({ kind: 'accepted' });
  });
});
