import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { SparseLog } from '../../libs/carrier/sparse-log.js';
import { aCarrier } from '../support/a-carrier.js';
import { cString, deliverBody, ID, tlv } from '../support/scripted-smsc.js';
import { until } from '../support/until.js';

const DIGITS = '4'.repeat(3_000);
const RECEIPT = Buffer.from('id:1 stat:DELIVRD err:000', 'latin1');

/** A deliver_sm with a receipt, each of its strings as given. */
function delivery(
  fields: { service?: string; source?: string; destination?: string; time?: string },
  message = RECEIPT,
) {
  return Buffer.concat([
    cString(fields.service ?? ''),
    Buffer.from([1, 1]),
    cString(fields.source ?? '46700100200'),
    Buffer.from([5, 0]),
    cString(fields.destination ?? 'Heliograph'),
    Buffer.from([0x04, 0, 0]),
    cString(fields.time ?? ''),
    cString(fields.time ?? ''),
    Buffer.from([0, 0, 0, 0, message.length]),
    message,
  ]);
}

describe('a delivery with a field that is longer than SMPP allows', () => {
  test.each([
    ['source_addr', { source: DIGITS }, ''],
    ['destination_addr', { destination: DIGITS }, '46700100200'],
    ['service_type', { service: DIGITS }, '46700100200'],
    ['times', { time: DIGITS }, '46700100200'],
  ])('in its %s is answered, counted, and settles its message', async (_field, fields, destination) => {
    const { smsc, subject } = await aCarrier();
    smsc.connection.deliver(delivery(fields));
    const answer = await until('an answer', () => smsc.seen.find(({ command }) => command === ID.deliverResponse));
    expect(answer.status).toBe(0);
    expect(subject.receipts).toMatchObject([{ carrierMessageId: '1', state: 'delivered', destination }]);
    expect(subject.deliveries).toEqual(['oversized', 'receipt']);
    expect(JSON.stringify(subject.logLines)).not.toContain('4444');
  });

  test('and no message that it could be for is done with at the first answer', async () => {
    const { smsc, subject } = await aCarrier();
    const reference = tlv(0x0204, Buffer.from([0, 9]));
    smsc.connection.deliver(deliverBody({ source: DIGITS, message: 'stat:DELIVRD', tlvs: [reference] }));
    const answer = await until('an answer', () => smsc.seen.find(({ command }) => command === ID.deliverResponse));
    expect(answer.status).toBe(0);
    expect(subject.deliveries).toEqual(['oversized', 'unreadable']);
    expect(subject.receipts).toEqual([]);
  });

  test('the ids and codes that come with it are no longer than what is stored of others', async () => {
    const { smsc, subject } = await aCarrier();
    const tlvs = [tlv(0x001e, Buffer.from(`${DIGITS}\0`)), tlv(0x0427, Buffer.from([2]))];
    smsc.connection.deliver(deliverBody({ message: '', tlvs }));
    await until('a receipt', () => subject.receipts.length === 1);
    expect(subject.receipts[0]?.carrierMessageId).toHaveLength(64);
    expect(subject.deliveries).toEqual(['oversized', 'receipt']);
  });
});

describe('what a carrier can cause any number of times', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  test('346 deliveries that nobody can read are one warning', async () => {
    const { smsc, subject } = await aCarrier();
    for (let sent = 0; sent < 346; sent += 1) smsc.connection.deliver(Buffer.from([0, 1, 1, 0x34]));
    await until('all are answered', () => smsc.count(ID.deliverResponse) === 346);
    expect(subject.deliveries).toHaveLength(346);
    expect(subject.logLines.filter(({ level }) => level === 'warn')).toHaveLength(1);
  });

  test('is one line of each kind in ten seconds, which says how many were left out', () => {
    jest.useFakeTimers();
    const lines: string[] = [];
    const write = (fields: object, message: string) => lines.push(`${message} ${JSON.stringify(fields)}`);
    const log = new SparseLog({ info: write, warn: write, error: write });
    for (let index = 0; index < 346; index += 1) log.warn({ carrier: 'a' }, 'unreadable');
    log.error({ carrier: 'a' }, 'not stored');
    expect(lines).toEqual(['unreadable {"carrier":"a"}', 'not stored {"carrier":"a"}']);
    jest.advanceTimersByTime(10_000);
    expect(lines.slice(2)).toEqual(['unreadable {"carrier":"a","leftOut":345}']);
    log.warn({ carrier: 'a' }, 'unreadable');
    expect(lines).toHaveLength(3);
    jest.advanceTimersByTime(30_000);
    expect(lines.slice(3)).toEqual(['unreadable {"carrier":"a","leftOut":1}']);
    log.warn({ carrier: 'a' }, 'unreadable');
    expect(lines.at(-1)).toBe('unreadable {"carrier":"a"}');
  });
});
