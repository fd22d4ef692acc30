import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { openControl } from '../../apps/carrier-simulator/control.js';
import { boundClient, client, simulator } from './harness.js';

const THROTTLED = 0x58;
const BIND_FAILED = 0x0d;

const servers: { close(): unknown }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function controlled() {
  const running = await simulator();
  const server = await openControl(running, 0);
  servers.push(server);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const change = async (body: unknown) => {
    const response = await fetch(url, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return { running, url, change };
}

test('a change holds from the next message on, and can be taken back', async () => {
  const { running, change } = await controlled();
  const raw = await boundClient(running);
  expect((await change({ behaviour: { throttleRate: 1 } })).status).toBe(200);
  expect((await raw.submit({})).status).toBe(THROTTLED);
  await change({ behaviour: { throttleRate: 0 } });
  expect((await raw.submit({})).status).toBe(0);
});

test('connections can be dropped, and binds refused until they are taken again', async () => {
  const { running, change } = await controlled();
  const raw = await boundClient(running);
  await change({ refusesBinds: true, disconnects: true });
  await raw.until(() => raw.isClosed);
  const refused = await client(running);
  expect((await refused.bind()).status).toBe(BIND_FAILED);
  await change({ refusesBinds: false });
  await boundClient(running);
});

test('an unknown field or a wrong type changes nothing and is said in one line', async () => {
  const { running, change } = await controlled();
  const before = running.behaviour;
  expect((await change({ behaviour: { throttleRate: 1, mood: 1 } })).body).toEqual({
    error: 'there is no behaviour mood',
  });
  expect((await change({ behaviour: { latencyMs: '5' } })).status).toBe(400);
  expect((await change({ throttleRate: 1 })).body).toEqual({ error: 'there is no field throttleRate' });
  expect((await change({ behaviour: { throttleRate: 1 }, refusesBinds: 'yes' })).status).toBe(400);
  expect((await change('not JSON')).status).toBe(400);
  expect(running.behaviour).toEqual(before);
});

test('its state can be read', async () => {
  const { url } = await controlled();
  const state = (await (await fetch(url)).json()) as Record<string, unknown>;
  expect(state).toMatchObject({ pendingReceipts: 0, behaviour: { latencyMs: 0 }, counters: { submits: 0 } });
});
