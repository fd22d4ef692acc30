import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { openControl } from '../../apps/carrier-simulator/control.js';
import { boundClient, simulator } from './harness.js';
import { type ReadReceipt, readReceipt } from './read-receipt.js';

const servers: { close(): unknown }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

const MESSAGE = { from: '46700100200', to: '12345', text: 'Hello [there]' };

describe('a message of a handset', () => {
  test('is sent when another process asks for it, and is pending until it is acknowledged', async () => {
    const running = await simulator();
    const server = await openControl(running, 0);
    servers.push(server);
    const ask = async (inbound: unknown) => {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      const response = await fetch(url, { method: 'POST', body: JSON.stringify({ inbound }) });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    expect(await ask([{ ...MESSAGE, text: '' }])).toMatchObject({ status: 400 });
    expect(await ask([{ ...MESSAGE, http: true }])).toMatchObject({ status: 400 });
    expect(await ask([MESSAGE])).toMatchObject({ status: 200, body: { pendingInbound: 1 } });
    const raw = await boundClient(running);
    await running.records.until(() => running.pendingInbound === 0, 30_000);
    const [{ source, destination, esmClass, dataCoding, text }] = raw.deliveries.map((one) => readReceipt(one)) as [
      ReadReceipt,
    ];
    expect({ source, destination, esmClass, dataCoding }).toEqual({
      source: '46700100200',
      destination: '12345',
      esmClass: 0,
      dataCoding: 0,
    });
    expect(Buffer.from(text, 'latin1')).toEqual(Buffer.from('Hello \u001b\u003cthere\u001b\u003e', 'latin1'));
    expect(running.counters).toMatchObject({ inboundSent: 1, inboundAcknowledged: 1 });
  });

  test('comes again after a refusal, after silence and on another connection, until it is acknowledged', async () => {
    const running = await simulator({ receiptRetryMs: 20 });
    const refusing = await boundClient(running);
    refusing.acknowledgement = 0x64;
    running.sendInbound(MESSAGE);
    await refusing.until(() => refusing.deliveries.length >= 2);
    refusing.acknowledgement = undefined;
    const before = refusing.deliveries.length;
    await refusing.until(() => refusing.deliveries.length > before + 1);
    running.disconnectAll();
    await boundClient(running);
    await running.records.until(() => running.pendingInbound === 0, 30_000);
    expect(running.records.inbound.length).toBe(running.counters.inboundSent);
  });

  test('that is long comes in parts', async () => {
    const running = await simulator();
    const raw = await boundClient(running);
    const text = 'Привет '.repeat(20);
    running.sendInbound({ ...MESSAGE, text });
    await running.records.until(() => running.pendingInbound === 0, 30_000);
    const parts = raw.deliveries.map((delivery) => readReceipt(delivery));
    expect(parts.map(({ esmClass, dataCoding }) => [esmClass, dataCoding])).toEqual(Array(3).fill([0x40, 8]));
    const octets = parts.map((part) => Buffer.from(part.text, 'latin1'));
    expect(octets.map((part) => [...part.subarray(0, 6)])).toEqual([1, 2, 3].map((number) => [5, 0, 3, 1, 3, number]));
    const joined = Buffer.concat(octets.map((part) => part.subarray(6)));
    expect(joined.swap16().toString('utf16le')).toBe(text);
  });

  test('answers each message once when told so, and the magic numbers by themselves', async () => {
    const running = await simulator({ receiptDelayMs: 0, reply: 'Who is this?' });
    const raw = await boundClient(running);
    await raw.submit({ destination: '46700100200' });
    await raw.submit({ destination: '46799900041' });
    await running.records.until(({ inbound }) => inbound.length === 2, 30_000);
    expect(running.records.inbound).toMatchObject([
      { from: '46700100200', to: 'Heliograph', text: 'Who is this?' },
      { from: '46799900041', to: 'Heliograph', text: 'STOP' },
    ]);
  });
});
