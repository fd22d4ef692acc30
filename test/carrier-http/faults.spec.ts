import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { freePort } from '../../scripts/process/free-port.js';
import { type ApiScript, created, failed, json } from '../support/scripted-api.js';
import { standStill } from '../support/stand-still.js';
import { submitOn } from '../support/test-carrier.js';
import { aMessage, anApi, anHttpCarrier, TestHttpCarrier } from '../support/test-http-carrier.js';
import { TEST_CERTIFICATE_PEM } from '../support/tls-identity.js';
import { until } from '../support/until.js';

const GZIP = { 'content-encoding': 'gzip' };

describe('a request that nobody answered', () => {
  const IN_DOUBT: readonly (readonly [string, ApiScript, string])[] = [
    ['reset before the answer', ({ socket }) => void socket.resetAndDestroy(), 'CONNECTION_LOST'],
    ['closed before the answer', ({ socket }) => void socket.end(), 'CONNECTION_LOST'],
    ['answered with garbage', ({ socket }) => void socket.end('SMPP?\r\n\r\n'), 'CONNECTION_LOST'],
    ['answered with endless headers', ({ socket }) => endlessHeaders(socket), 'CONNECTION_LOST'],
    ['never answered', () => undefined, 'RESPONSE_TIMEOUT'],
  ];
  test.each(IN_DOUBT)('%s is in doubt', async (_what, script, code) => {
    const { api, subject } = await anHttpCarrier(script, { requestTimeoutMs: 300 });
    await expect(subject.submit()).resolves.toEqual({ kind: 'in-doubt', code });
    expect(api.requests).toHaveLength(1);
  });

  const TAKEN: readonly (readonly [string, ApiScript])[] = [
    [
      'breaks off',
      ({ answer, socket }) => {
        answer.writeHead(201, { 'content-length': '1000' });
        answer.write('{"sid":"SM', () => socket.destroy());
      },
    ],
    ['never ends', ({ answer }) => void answer.writeHead(201).write('{"sid":')],
    ['is no gzip, as it says', ({ answer }) => void answer.writeHead(201, GZIP).end('{"sid":"SM1"}')],
    ['is far too large behind gzip', ({ answer }) => void answer.writeHead(201, GZIP).end(gzipSync(' '.repeat(1e6)))],
    ['is far too large', ({ answer }) => void answer.writeHead(201).end(`{"sid":"SM1","x":"${'x'.repeat(200_000)}"}`)],
  ];
  test.each(TAKEN)('a 201 whose body %s is taken, without an id', async (_what, script) => {
    const { subject } = await anHttpCarrier(script, { requestTimeoutMs: 400 });
    await expect(subject.submit()).resolves.toEqual({ kind: 'accepted', carrierMessageId: '' });
  });

  test.each([
    ['gzip', gzipSync],
    ['GZip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('an answer in %s is read, although nobody asked for it', async (encoding, encode) => {
    const { api, subject } = await anHttpCarrier(({ answer }) => {
      answer.writeHead(201, { 'content-encoding': encoding }).end(encode('{"sid":"SM1"}'));
    });
    await expect(subject.submit()).resolves.toEqual({ kind: 'accepted', carrierMessageId: 'SM1' });
    expect(api.requests[0]?.headers['accept-encoding']).toBe('identity');
  });

  test('an answer that came while the process stood still counts, however long that was', async () => {
    const { api, subject } = await anHttpCarrier(() => undefined, { requestTimeoutMs: 1_000 });
    const outcome = subject.submit();
    const request = await until('the request', () => api.requests[0]);
    json(request.answer, 201, { sid: 'SM1' });
    standStill(1_500);
    await expect(outcome).resolves.toEqual({ kind: 'accepted', carrierMessageId: 'SM1' });
  });

  test('a redirect is not followed: text and token go nowhere else', async () => {
    const other = await anApi();
    const { subject } = await anHttpCarrier(({ answer }) => {
      answer.writeHead(307, { location: `http://127.0.0.1:${other.port}/elsewhere` }).end();
    });
    await expect(subject.submit()).resolves.toEqual({ kind: 'temporary', code: 'HTTP_307' });
    expect(other.connections).toBe(0);
  });
});

describe('a provider that cannot be reached', () => {
  test('gives no slots until it is there, and one that went away is found again', async () => {
    const port = await freePort();
    const subject = new TestHttpCarrier(port);
    await until('two attempts failed', () => subject.logLines.filter(({ level }) => level === 'warn').length >= 2);
    expect(subject.carrier.takeSlots(5)).toEqual([]);
    // It keeps no connection, so that the next request needs a new one.
    const lastOne: ApiScript = ({ answer }) => json(answer, 201, { sid: 'SM1' }, { connection: 'close' });
    const api = await anApi(lastOne, { port });
    await subject.untilBound();
    await expect(subject.submit()).resolves.toMatchObject({ kind: 'accepted' });
    const slot = await subject.slots.take();
    await api.close();
    await expect(submitOn(slot)).resolves.toEqual({ kind: 'not-sent', code: 'CONNECT_ECONNREFUSED' });
    expect(subject.carrier.takeSlots(1)).toEqual([]);
    await anApi(created(), { port });
    await subject.untilBound();
    await expect(subject.submit()).resolves.toMatchObject({ kind: 'accepted' });
  });

  test('a name that nobody knows is not sent', async () => {
    const subject = new TestHttpCarrier(1, { host: 'nobody.invalid' });
    await until('it is known to be down', () => subject.carrier.state === 'down' && subject.logLines.length > 0);
    expect(subject.carrier.takeSlots(1)).toEqual([]);
  });

  test('a server that takes connections but no TLS is never written to', async () => {
    const received: Buffer[] = [];
    const silent = createServer(
      (socket) => void socket.on('data', (bytes) => received.push(bytes)).on('error', () => undefined),
    );
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const subject = new TestHttpCarrier(port, { tls: true, host: 'localhost', connectTimeoutMs: 100 });
    await until('an attempt failed', () => subject.logLines.some(({ level }) => level === 'warn'));
    expect(subject.logLines[0]?.fields).toMatchObject({ reason: 'not connected within 100 ms' });
    await subject.carrier.close(0);
    silent.close();
    expect(Buffer.concat(received).includes('Authorization')).toBe(false);
  });
});

describe('TLS', () => {
  test('a provider with a private authority is trusted by its own certificate', async () => {
    const { api, subject } = await anHttpCarrier(created(), { tlsCaPem: TEST_CERTIFICATE_PEM }, { tls: true });
    await expect(subject.submit()).resolves.toEqual({ kind: 'accepted', carrierMessageId: 'SM0' });
    expect(api.requests).toHaveLength(1);
  });

  test('a certificate that nobody vouches for is refused before the token is written', async () => {
    const api = await anApi(created(), { tls: true });
    const subject = new TestHttpCarrier(api.port, { tls: true, host: 'localhost' });
    await until('the certificate was refused', () => subject.logLines.length > 0);
    expect(subject.logLines[0]?.fields).toMatchObject({ reason: expect.stringMatching(/self-signed certificate/) });
    expect(subject.carrier.takeSlots(1)).toEqual([]);
    expect(api.requests).toEqual([]);
  });

  test('a certificate for another name is refused', async () => {
    const api = await anApi(created(), { tls: true });
    const subject = new TestHttpCarrier(api.port, { tls: true, host: '127.0.0.2', tlsCaPem: TEST_CERTIFICATE_PEM });
    await until('it is down', () => subject.logLines.length > 0);
    expect(api.requests).toEqual([]);
  });
});

describe('a provider that refuses the account', () => {
  test('keeps every message, is left alone, and is tried with one request until the account is well', async () => {
    // Long enough to look at it while it is left alone.
    const { api, subject } = await anHttpCarrier(failed(401, 20003), { retryMaxMs: 2_000 });
    const slots = subject.carrier.takeSlots(3);
    const outcomes = await Promise.all(slots.map((slot) => submitOn(slot)));
    expect(outcomes).toEqual(Array(3).fill({ kind: 'temporary', code: 'HTTP_20003' }));
    const loud = subject.logLines.filter(({ level }) => level === 'error');
    expect(loud).toHaveLength(1);
    expect(JSON.stringify(loud)).toMatch(/check the account SID, the token/);
    expect(JSON.stringify(subject.logLines)).not.toMatch(/token"|"token|AC123:token|46700100200|Hello/);
    expect(subject.carrier.state).toBe('down');
    expect(subject.carrier.takeSlots(1)).toEqual([]);

    const trial = await subject.slots.take();
    expect(subject.carrier.takeSlots(5)).toEqual([]);
    api.script = created();
    await expect(submitOn(trial)).resolves.toMatchObject({ kind: 'accepted' });
    expect(subject.carrier.state).toBe('bound');
    expect(subject.carrier.takeSlots(5)).toHaveLength(5);
  });
});

describe('a provider that fails', () => {
  test('three doubts in a row are enough: then it is tried with one request at a time', async () => {
    const { api, subject } = await anHttpCarrier(failed(502));
    for (let index = 0; index < 3; index += 1) {
      expect(subject.carrier.state).toBe('bound');
      await expect(subject.submit()).resolves.toEqual({ kind: 'in-doubt', code: 'HTTP_502' });
    }
    expect(subject.carrier.takeSlots(5)).toEqual([]);
    await expect(subject.submit()).resolves.toMatchObject({ kind: 'in-doubt' });
    expect(subject.carrier.state).toBe('down');
    api.script = created();
    await expect(subject.submit()).resolves.toMatchObject({ kind: 'accepted' });
    expect(subject.carrier.state).toBe('bound');
  });

  test('a trial that gets no connection proves nothing: the next request is a trial again', async () => {
    const port = await freePort();
    const broken: ApiScript = ({ answer }) => json(answer, 502, {}, { connection: 'close' });
    const api = await anApi(broken, { port });
    const subject = await new TestHttpCarrier(port).untilBound();
    for (let index = 0; index < 3; index += 1) await subject.submit();
    const trial = await subject.slots.take();
    await api.close();
    await expect(submitOn(trial)).resolves.toMatchObject({ kind: 'not-sent' });
    await anApi(broken, { port });
    await subject.slots.take();
    expect(subject.carrier.takeSlots(5)).toEqual([]);
  });

  test('doubts with answers between them do not stop it', async () => {
    const { subject } = await anHttpCarrier((request, index) =>
      (index % 3 === 2 ? created() : failed(500))(request, index),
    );
    for (let index = 0; index < 9; index += 1) await subject.submit();
    expect(subject.states).toEqual(['connecting', 'bound']);
  });
});

describe('window and rate', () => {
  test('never more requests are under way than the window has, and connections are kept for the next', async () => {
    const { api, subject } = await anHttpCarrier(
      ({ answer }, index) => void setTimeout(() => json(answer, 201, { sid: `SM${index}` }), 5),
      { windowSize: 4 },
    );
    await Promise.all(Array.from({ length: 40 }, () => subject.submit()));
    expect(api.underWayMax).toBe(4);
    expect(new Set(api.requests.map(({ socket }) => socket)).size).toBe(4);
  });

  test('the rate is kept, and can be changed while it runs', async () => {
    const { subject } = await anHttpCarrier(created(), { submitsPerSecond: 40 });
    const startMs = performance.now();
    for (let index = 0; index < 20; index += 1) await subject.submit();
    expect(performance.now() - startMs).toBeGreaterThan(400);
    subject.carrier.setSubmitsPerSecond(undefined);
    expect(subject.carrier.takeSlots(10)).toHaveLength(10);
    expect(() => subject.carrier.setSubmitsPerSecond(0)).toThrow(RangeError);
  });

  test('429 slows down, and a Retry-After is waited out', async () => {
    const { api, subject } = await anHttpCarrier((request, index) =>
      (index === 0 ? failed(429, 20429, { 'retry-after': '1' }) : created())(request, index),
    );
    const startMs = performance.now();
    await expect(subject.submit()).resolves.toEqual({ kind: 'throttled', code: 'HTTP_20429' });
    expect(subject.carrier.takeSlots(1)).toEqual([]);
    await expect(subject.submit()).resolves.toMatchObject({ kind: 'accepted' });
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(990);
    expect(api.requests).toHaveLength(2);
    expect(subject.carrier.state).toBe('bound');
    // Its window has room for ten.
    expect(subject.carrier.takeSlots(10).length).toBeLessThan(3);
  });

  test('a slot is good for one request, and one given back is free again', async () => {
    const { subject } = await anHttpCarrier(created(), { windowSize: 1 });
    const slot = await subject.slots.take();
    expect(subject.carrier.takeSlots(1)).toEqual([]);
    slot.release();
    slot.release();
    const again = await subject.slots.take();
    await again.submit(aMessage());
    await expect(again.submit(aMessage())).resolves.toEqual({ kind: 'not-sent', code: 'SLOT_SPENT' });
    // Its answer may not be recorded yet.
    expect(subject.carrier.takeSlots(5)).toEqual([]);
    again.release();
    expect(subject.carrier.takeSlots(5)).toHaveLength(1);
  });
});

describe('closing', () => {
  test('waits for answers that are on their way', async () => {
    const { subject } = await anHttpCarrier(
      ({ answer }) => void setTimeout(() => json(answer, 201, { sid: 'SM1' }), 100),
    );
    const outcome = subject.submit();
    await until('it is under way', () => subject.carrier.takeSlots(0).length === 0);
    const slot = await subject.slots.take();
    const closed = subject.carrier.close(5_000);
    await expect(submitOn(slot)).resolves.toEqual({ kind: 'not-sent', code: 'CLOSING' });
    await expect(outcome).resolves.toEqual({ kind: 'accepted', carrierMessageId: 'SM1' });
    await closed;
    expect(subject.carrier.state).toBe('down');
  });

  test('what has no answer within the grace is in doubt', async () => {
    const { api, subject } = await anHttpCarrier(() => undefined);
    const outcome = subject.submit();
    await until('it has arrived', () => api.requests.length === 1);
    await subject.carrier.close(50);
    await expect(outcome).resolves.toEqual({ kind: 'in-doubt', code: 'CLOSING' });
  });

  test('a second call shortens the grace of the first one', async () => {
    const { api, subject } = await anHttpCarrier(() => undefined);
    const outcome = subject.submit();
    await until('it has arrived', () => api.requests.length === 1);
    const closed = subject.carrier.close(60_000);
    await subject.carrier.close(50);
    await closed;
    await expect(outcome).resolves.toEqual({ kind: 'in-doubt', code: 'CLOSING' });
  });
});

function endlessHeaders(socket: { write(text: string): boolean }): void {
  socket.write(`HTTP/1.1 201 Created\r\n${'x-much: '.padEnd(8_000, 'x')}\r\n`.padEnd(8_100));
  socket.write(`x-more: ${'y'.repeat(60_000)}\r\n`);
}
