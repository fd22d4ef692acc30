import { describe, expect, test } from '@jest/globals';
import type { SimulatorOptions } from '../../apps/carrier-simulator/options.js';
import { boundClient, simulator } from './harness.js';
import { COMMAND, messageIdOf, type SubmitFields, uint16 } from './raw-client.js';
import { readReceipt, wordOf } from './read-receipt.js';

const RECEIPTED_MESSAGE_ID = 0x001e;
const MESSAGE_STATE = 0x0427;
const USER_MESSAGE_REFERENCE = 0x0204;

async function oneReceipt(options: SimulatorOptions = {}, fields: SubmitFields = {}) {
  const running = await simulator({ receiptDelayMs: 0, ...options });
  const raw = await boundClient(running);
  const id = messageIdOf(await raw.submit(fields));
  const delivery = await raw.find(({ command }) => command === COMMAND.deliver);
  return { running, raw, id, receipt: readReceipt(delivery) };
}

describe('a receipt', () => {
  test('has the text of Appendix B, the parameters, the flag, and the addresses the other way round', async () => {
    const { id, receipt } = await oneReceipt({}, { userData: Buffer.from('Twenty characters and more') });
    expect(receipt).toMatchObject({ source: '447700900123', destination: 'Heliograph', esmClass: 4, dataCoding: 0 });
    expect(receipt.text).toMatch(
      /^id:\d+ sub:001 dlvrd:001 submit date:\d{10} done date:\d{10} stat:DELIVRD err:000 text:Twenty characters an$/,
    );
    expect(wordOf(receipt, 'id')).toBe(id);
    expect(receipt.tlvs.get(RECEIPTED_MESSAGE_ID)?.toString('latin1')).toBe(`${id}\0`);
    expect(receipt.tlvs.get(MESSAGE_STATE)).toEqual(Buffer.from([2]));
    expect(receipt.tlvs.has(USER_MESSAGE_REFERENCE)).toBe(false);
  });

  test('holds text alone or parameters alone when told so', async () => {
    const text = await oneReceipt({ receiptFormat: 'text' });
    expect(wordOf(text.receipt, 'id')).toBe(text.id);
    expect([...text.receipt.tlvs.keys()]).toEqual([]);
    const parameters = await oneReceipt({ receiptFormat: 'tlv' });
    expect(parameters.receipt.text).toBe('');
    expect([...parameters.receipt.tlvs.keys()]).toEqual([RECEIPTED_MESSAGE_ID, MESSAGE_STATE]);
  });

  test('echoes user_message_reference unless told not to', async () => {
    const tlvs = [[USER_MESSAGE_REFERENCE, uint16(0xbeef)]] as const;
    const echoed = await oneReceipt({}, { tlvs });
    expect(echoed.receipt.tlvs.get(USER_MESSAGE_REFERENCE)).toEqual(uint16(0xbeef));
    const left = await oneReceipt({ echoUserMessageReference: false }, { tlvs });
    expect(left.receipt.tlvs.has(USER_MESSAGE_REFERENCE)).toBe(false);
  });

  test.each([
    ['decimal', (id: string) => BigInt(`0x${id}`).toString()],
    ['same', (id: string) => id],
    ['hex', (id: string) => id],
    ['upper-hex', (id: string) => id.toUpperCase()],
    ['padded', (id: string) => BigInt(`0x${id}`).toString().padStart(20, '0')],
  ] as const)('writes a hexadecimal id in the form %s', async (receiptIdForm, expected) => {
    const { id, receipt } = await oneReceipt({ messageIdForm: 'hex', receiptIdForm });
    expect(wordOf(receipt, 'id')).toBe(expected(id));
    expect(receipt.tlvs.get(RECEIPTED_MESSAGE_ID)?.toString('latin1')).toBe(`${expected(id)}\0`);
  });

  test('comes after its delay', async () => {
    const start = performance.now();
    await oneReceipt({ receiptDelayMs: 150 });
    expect(performance.now() - start).toBeGreaterThanOrEqual(145);
  });

  test.each([
    ['on', [1]],
    ['always', [0, 1, 2]],
    ['off', []],
  ] as const)('with the policy %s follows the registered_delivery values %j', async (receipts, expected) => {
    const running = await simulator({ receiptDelayMs: 0, receipts });
    const raw = await boundClient(running);
    const destinations = ['447700900000', '447700900001', '447700900002'];
    for (const [registeredDelivery, destination] of destinations.entries()) {
      await raw.submit({ registeredDelivery, destination });
    }
    await running.records.until(() => running.pendingReceipts === 0);
    const receipted = raw.deliveries.map((delivery) => destinations.indexOf(readReceipt(delivery).source));
    expect(receipted.sort()).toEqual(expected);
    expect(running.counters).toMatchObject({ taken: 3, receiptsAcknowledged: expected.length });
  });

  test('that was asked for on failure only comes on failure', async () => {
    const { receipt } = await oneReceipt({ failRate: 1 }, { registeredDelivery: 2 });
    expect(wordOf(receipt, 'stat')).toBe('UNDELIV');
  });

  test('goes to the bind that submitted, not to another of the same system_id', async () => {
    const running = await simulator({ receiptDelayMs: 0 });
    const [first, second] = [await boundClient(running), await boundClient(running)];
    for (let count = 0; count < 5; count++) await second.submit();
    await second.until(() => second.deliveries.length === 5);
    expect(first.deliveries).toEqual([]);
  });

  test('of a transmitter goes to a receiver of the same system_id, and to no stranger', async () => {
    const running = await simulator({ receiptDelayMs: 0 });
    const transmitter = await boundClient(running, COMMAND.bindTransmitter, 'acme');
    const stranger = await boundClient(running, COMMAND.bindReceiver, 'other');
    const receiver = await boundClient(running, COMMAND.bindReceiver, 'acme');
    await transmitter.submit();
    await receiver.until(() => receiver.deliveries.length === 1);
    expect([transmitter.deliveries, stranger.deliveries]).toEqual([[], []]);
  });

  test('waits for a bind that can receive it', async () => {
    const running = await simulator({ receiptDelayMs: 0 });
    const transmitter = await boundClient(running, COMMAND.bindTransmitter);
    await transmitter.submit();
    expect(running.pendingReceipts).toBe(1);
    const receiver = await boundClient(running, COMMAND.bindReceiver);
    await receiver.until(() => receiver.deliveries.length === 1);
    await running.records.until(() => running.pendingReceipts === 0);
  });

  test('that was not acknowledged before the connection broke comes again after the next bind', async () => {
    const running = await simulator({ receiptDelayMs: 0, receiptTriesMax: 1, receiptRetryMs: 60_000 });
    for (let round = 0; round < 3; round++) {
      const raw = await boundClient(running);
      raw.acknowledgement = undefined;
      if (round === 0) await raw.submit();
      await raw.until(() => raw.deliveries.length === 1);
      running.disconnectAll();
      await raw.until(() => raw.isClosed);
    }
    const last = await boundClient(running);
    await last.until(() => last.deliveries.length === 1);
    await running.records.until(() => running.pendingReceipts === 0);
    expect(running.records.receipts.map(({ acknowledgedStatus }) => acknowledgedStatus)).toEqual([
      undefined,
      undefined,
      undefined,
      0,
    ]);
  });

  test.each([
    ['refused', 0x64],
    ['met with silence', undefined],
  ])('that is %s comes again up to its last try, then is dropped', async (_case, acknowledgement) => {
    const running = await simulator({ receiptDelayMs: 0, receiptTriesMax: 3, receiptRetryMs: 50 });
    const raw = await boundClient(running);
    raw.acknowledgement = acknowledgement;
    await raw.submit();
    await raw.until(() => raw.deliveries.length === 3);
    while (running.pendingReceipts > 0) await raw.request(COMMAND.enquireLink);
    expect(running.counters).toMatchObject({ receiptsSent: 3, receiptsAcknowledged: 0, receiptsDropped: 1 });
    expect(running.records.receipts.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(running.records.receipts.map((record) => record.acknowledgedStatus)).toEqual(Array(3).fill(acknowledgement));
  });

  test('waits while the receipt window is full', async () => {
    const running = await simulator({ receiptDelayMs: 0, receiptWindowSize: 2, receiptRetryMs: 60_000 });
    const raw = await boundClient(running);
    raw.acknowledgement = undefined;
    for (let count = 0; count < 5; count++) await raw.submit();
    await raw.until(() => raw.deliveries.length === 2);
    await raw.request(COMMAND.enquireLink);
    expect(raw.deliveries).toHaveLength(2);
    running.disconnectAll();
    const next = await boundClient(running);
    await next.until(() => next.deliveries.length === 5);
  });
});
