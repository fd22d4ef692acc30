import { afterEach, describe, expect, test } from '@jest/globals';
import type { CarrierReceipt } from '#carrier';
import { deliverBody, ID, ScriptedSmsc } from '../support/scripted-smsc.js';
import { TestCarrier } from '../support/test-carrier.js';
import { until } from '../support/until.js';

const closers: Array<() => Promise<void>> = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function aCarrier(
  ...rest: [ConstructorParameters<typeof TestCarrier>[1]?, ConstructorParameters<typeof TestCarrier>[2]?]
) {
  const smsc = await ScriptedSmsc.listen();
  const subject = await TestCarrier.bound(smsc, ...rest);
  closers.push(
    () => subject.carrier.close(0),
    () => smsc.close(),
  );
  return { smsc, subject };
}

const answers = (smsc: ScriptedSmsc) =>
  smsc.seen.filter((pdu) => pdu.command === ID.deliverResponse).map(({ sequence, status }) => ({ sequence, status }));

describe('acknowledging receipts', () => {
  test('a receipt is acknowledged only after it is stored, and receipts do not wait for each other', async () => {
    const storing: Array<{ receipt: CarrierReceipt; done: () => void }> = [];
    const { smsc } = await aCarrier(
      {},
      { onReceipt: (receipt) => new Promise((done) => storing.push({ receipt, done })) },
    );
    for (const id of [1, 2, 3]) smsc.connection.deliver(deliverBody({ message: `id:${id} stat:DELIVRD` }));
    await until('all three are being stored', () => storing.length === 3);
    smsc.connection.send(ID.enquireLink, 0, 99);
    await until('the session goes on meanwhile', () => smsc.count(ID.enquireLinkResponse) === 1);
    expect(answers(smsc)).toEqual([]);
    storing[1]?.done();
    await until('one acknowledgement', () => answers(smsc).length === 1);
    expect(answers(smsc)).toEqual([{ sequence: 2, status: 0 }]);
    storing[0]?.done();
    storing[2]?.done();
    await until('all acknowledgements', () => answers(smsc).length === 3);
    expect(storing.map(({ receipt }) => receipt.carrierMessageId)).toEqual(['1', '2', '3']);
  });

  test.each([
    ['rejects', () => Promise.reject(new Error('database down'))],
    [
      'throws',
      () => {
        throw new Error('database down');
      },
    ],
  ])('a receipt is left with the carrier when storing it %s', async (_how, onReceipt) => {
    const { smsc, subject } = await aCarrier({}, { onReceipt });
    const sequence = smsc.connection.deliver(deliverBody({ message: 'id:1 stat:DELIVRD' }));
    await until('an answer', () => answers(smsc).length === 1);
    expect(answers(smsc)).toEqual([{ sequence, status: 0x64 }]);
    expect(subject.logLines.at(-1)).toMatchObject({ level: 'error' });
    expect(smsc.connections).toHaveLength(1);
  });

  test('a receipt for no message is acknowledged, so that it does not come back for ever', async () => {
    const { smsc, subject } = await aCarrier();
    smsc.connection.deliver(deliverBody({ message: 'nothing to read here' }));
    await until('an answer', () => answers(smsc).length === 1);
    expect(answers(smsc)[0]?.status).toBe(0);
    expect(subject.deliveries).toEqual(['unreadable']);
  });

  test('a deliver_sm without its mandatory fields is rejected for good and the session goes on', async () => {
    const { smsc, subject } = await aCarrier();
    smsc.connection.deliver(Buffer.from([0, 1, 1, 0x34]));
    smsc.connection.deliver(deliverBody({ message: 'id:1 stat:DELIVRD' }));
    await until('two answers', () => answers(smsc).length === 2);
    expect(answers(smsc)).toEqual([
      { sequence: 1, status: 0x66 },
      { sequence: 2, status: 0 },
    ]);
    expect(subject.receipts).toHaveLength(1);
    expect(smsc.connections).toHaveLength(1);
  });

  test('a flood of receipts on a slow database is held back at the socket and all are stored in the end', async () => {
    let stored = 0;
    let waiting = 0;
    let mostWaiting = 0;
    const release: Array<() => void> = [];
    const { smsc } = await aCarrier(
      {},
      {
        onReceipt: () => {
          waiting += 1;
          mostWaiting = Math.max(mostWaiting, waiting);
          return new Promise((resolve) =>
            release.push(() => {
              waiting -= 1;
              stored += 1;
              resolve();
            }),
          );
        },
      },
    );
    const flood = 30_000;
    for (let id = 1; id <= flood; id++) smsc.connection.deliver(deliverBody({ message: `id:${id} stat:DELIVRD` }));
    await until('the first thousand wait', () => waiting >= 1_000);
    await until(
      'all are stored and acknowledged',
      () => {
        for (const done of release.splice(0, 500)) done();
        return answers(smsc).length === flood;
      },
      20_000,
    );
    expect(stored).toBe(flood);
    // One chunk that is already read is worked off: about 64 KiB of receipts at most.
    expect(mostWaiting).toBeLessThan(3_000);
  });

  test('ids of submit responses and receipts meet in one form', async () => {
    const { smsc, subject } = await aCarrier({ messageIdFormat: 'hex-dec' });
    smsc.onSubmit = (submit) => submit.connection.accept(submit, '0001A2B3C4D');
    const outcome = await subject.submit();
    smsc.connection.deliver(deliverBody({ message: 'id:0439041101 stat:DELIVRD' }));
    const receipt = await until('the receipt', () => subject.receipts[0]);
    expect(outcome).toEqual({ kind: 'accepted', carrierMessageId: receipt.carrierMessageId });
  });
});
