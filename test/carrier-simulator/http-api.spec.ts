import { createHmac } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { SimulatorOptions } from '../../apps/carrier-simulator/options.js';
import { until } from '../support/until.js';
import { simulator } from './harness.js';

const SID = 'AC1';
const TOKEN = 'tok';

interface Callback {
  readonly url: string;
  readonly form: Record<string, string>;
  readonly signature: string | undefined;
}

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function start(options: SimulatorOptions = {}) {
  const running = await simulator({ httpPort: 0, receiptDelayMs: 0, receiptRetryMs: 10, ...options });
  const send = (form: Record<string, string>, how: { sid?: string; token?: string; path?: string } = {}) => {
    const credentials = Buffer.from(`${how.sid ?? SID}:${how.token ?? TOKEN}`).toString('base64');
    const path = how.path ?? `/2010-04-01/Accounts/${SID}/Messages.json`;
    return fetch(`http://127.0.0.1:${running.httpPort}${path}`, {
      method: 'POST',
      headers: { authorization: `Basic ${credentials}` },
      body: new URLSearchParams({ To: '+46700100200', From: 'Acme', Body: 'Hello', ...form }),
      signal: AbortSignal.timeout(5_000),
    });
  };
  return { running, send };
}

/** A place for callbacks that answers them as a spec says. */
async function callbacksAt(answer: (response: ServerResponse, index: number) => void) {
  const received: Callback[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
      received.push({ url: request.url ?? '', form, signature: request.headers['x-twilio-signature'] as string });
      answer(response, received.length - 1);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { base, received, finals: () => received.filter(({ form }) => form.MessageStatus !== 'sent') };
}

const ok = (response: ServerResponse) => void response.writeHead(204).end();

describe('the HTTP face of the simulator', () => {
  test('takes a message with 201 and a resource, and keeps the same records as the SMPP face', async () => {
    const { running, send } = await start();
    const answer = await send({ Body: 'Grüße 😀' });
    expect(answer.status).toBe(201);
    const resource = (await answer.json()) as { readonly sid: string };
    expect(resource).toMatchObject({
      sid: expect.stringMatching(/^SM[0-9a-f]{32}$/),
      account_sid: SID,
      status: 'queued',
      error_code: null,
      to: '+46700100200',
      from: 'Acme',
      body: 'Grüße 😀',
    });
    expect(running.records.submits).toEqual([
      expect.objectContaining({ text: 'Grüße 😀', isTaken: true, systemId: SID, messageId: resource.sid }),
    ]);
    expect(running.counters).toMatchObject({ submits: 1, taken: 1 });
  });

  test.each([
    [{ To: '' }, 21604],
    [{ To: '46700100200' }, 21211],
    [{ From: 'far too long a name' }, 21212],
    [{ Body: '' }, 21602],
    [{ Body: 'x'.repeat(1_601) }, 21617],
    [{ StatusCallback: 'nowhere' }, 21609],
    [{ ValidityPeriod: '36001' }, 20001],
  ])('refuses %j with 400 and code %i', async (form, code) => {
    const { running, send } = await start();
    const answer = await send(form);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code, status: 400 });
    expect(running.records.submits).toEqual([]);
  });

  test('answers 401 to another token, another account and refused binds, and 404 elsewhere', async () => {
    const { running, send } = await start({ systemId: SID, password: TOKEN });
    expect((await send({}, { token: 'wrong' })).status).toBe(401);
    expect((await send({}, { sid: 'AC2' })).status).toBe(401);
    running.refuseBinds(true);
    expect(await (await send({})).json()).toMatchObject({ code: 20003 });
    running.refuseBinds(false);
    expect((await send({})).status).toBe(201);
    expect((await send({}, { path: '/2010-04-01/Accounts/AC1/Calls.json' })).status).toBe(404);
    expect((await send({}, { path: '/2010-04-01/Accounts/%ZZ/Messages.json' })).status).toBe(401);
  });

  test.each([
    ['+46799900001', 400, 21211],
    ['+46799900002', 503, 20503],
    ['+46799900003', 429, 20429],
    ['+46799900004', 429, 21611],
  ])('a magic number %s is answered %i with code %i', async (To, status, code) => {
    const { send } = await start();
    const answer = await send({ To });
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ code });
  });

  test('a magic number whose answer is lost is taken or not, as over SMPP', async () => {
    const { running, send } = await start();
    await expect(send({ To: '+46799900014' })).rejects.toThrow();
    await expect(send({ To: '+46799900015' })).rejects.toThrow();
    expect(running.records.submits.map(({ isTaken }) => isTaken)).toEqual([false, true]);
    const empty = await send({ To: '+46799900017' });
    expect(await empty.json()).toEqual({});
  });

  test('callbacks tell of every step, and are signed over the URL and the sorted parameters', async () => {
    const { base, received } = await callbacksAt(ok);
    const { running, send } = await start({ receiptDelayMs: 50 });
    await send({ StatusCallback: `${base}/status?ref=77#rc=5` });
    await until('both callbacks came', () => received.length === 2);
    expect(received.map(({ form }) => form.MessageStatus)).toEqual(['sent', 'delivered']);
    const [, final] = received;
    expect(final?.url).toBe('/status?ref=77');
    const names = Object.keys(final?.form ?? {}).sort();
    const signed = `${base}/status?ref=77${names.map((name) => name + final?.form[name]).join('')}`;
    expect(final?.signature).toBe(createHmac('sha1', TOKEN).update(signed).digest('base64'));
    await until('they count as acknowledged', () => running.pendingReceipts === 0);
  });

  test.each([
    ['+46799900020', 'undelivered', '30003'],
    ['+46799900022', 'failed', '30007'],
    ['+46799900023', 'canceled', undefined],
  ])('the callback for %s says %s', async (To, MessageStatus, ErrorCode) => {
    const { base, finals } = await callbacksAt(ok);
    const { send } = await start();
    await send({ To, StatusCallback: base });
    await until('it came', () => finals().length === 1);
    expect(finals()[0]?.form).toMatchObject({ MessageStatus, ...(ErrorCode !== undefined && { ErrorCode }) });
  });

  test('a callback that is not answered with 2xx comes again, so many times as told', async () => {
    const { base, finals } = await callbacksAt(
      (response, index) => void response.writeHead(index < 3 ? 503 : 204).end(),
    );
    const { running, send } = await start({ receiptTriesMax: 5 });
    await send({ StatusCallback: base });
    await until('everything is acknowledged', () => running.pendingReceipts === 0);
    expect(finals().length).toBeGreaterThanOrEqual(2);
    running.setBehaviour({ receiptTriesMax: 2 });
    const away = 'http://127.0.0.1:1/status';
    await send({ StatusCallback: away });
    await until('it is given up', () => running.counters.receiptsDropped === 2);
  });

  test('a rate over the limit is answered 429', async () => {
    const { send } = await start({ submitsPerSecond: 2 });
    const statuses = [];
    for (let index = 0; index < 4; index += 1) statuses.push((await send({})).status);
    expect(statuses).toEqual([201, 201, 429, 429]);
  });
});
