import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import fastify, { type FastifyInstance } from 'fastify';
import type { AuthenticatedRequest } from '../../apps/gateway/http/authenticate.js';
import { limitUnreadAnswers } from '../../apps/gateway/http/unread-answers.js';
import { eventually } from '../support/eventually.js';

/** As much as an account may leave unread, and more than the buffers of a kernel take. */
const PAGE = 'x'.repeat(16 * 1024 * 1024);
const STALLED_MS = 300;

let server: FastifyInstance;
let port: number;
const sockets: Socket[] = [];

async function start(stalledMs?: number): Promise<void> {
  server = fastify({ forceCloseConnections: true });
  server.addHook('onRequest', (request: AuthenticatedRequest, _reply, done) => {
    request.account = { accountId: request.headers['x-account'] } as never;
    done();
  });
  server.setErrorHandler((_error, _request, reply) => reply.status(503).send());
  limitUnreadAnswers(server, stalledMs);
  server.get('/page', async () => PAGE);
  server.post('/v1/message/quote', async () => PAGE);
  server.post('/v1/message/send-batch', async () => PAGE);
  await server.listen({ port: 0, host: '127.0.0.1' });
  ({ port } = server.server.address() as AddressInfo);
}
beforeEach(() => start());
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.close();
});

/** Asks for pages, one behind the other, and reads no more than the beginning of the first. */
async function leaveUnread(account: string, count: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  socket.write(`GET /page HTTP/1.1\r\nHost: x\r\nX-Account: ${account}\r\n\r\n`.repeat(count));
  await once(socket, 'data');
  return socket.pause();
}
async function read(account: string, path = '/page', method = 'GET'): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers: { 'x-account': account } });
  await answer.arrayBuffer();
  return answer.status;
}

test('an account that leaves answers unread gets no more of them, until it takes them or leaves', async () => {
  const socket = await leaveUnread('greedy', 3);
  expect(await read('greedy')).toBe(503);
  expect(await read('other')).toBe(200);
  expect(await read('greedy', '/v1/message/quote', 'POST')).toBe(503);
  // It is charged.
  expect(await read('greedy', '/v1/message/send-batch', 'POST')).toBe(200);
  socket.destroy();
  await eventually(async () => expect(await read('greedy')).toBe(200));

  const reader = await leaveUnread('greedy', 1);
  expect(await read('greedy')).toBe(503);
  reader.resume();
  await eventually(async () => expect(await read('greedy')).toBe(200));
});

test('a client that takes nothing of its answer for a minute is given up', async () => {
  await server.close();
  await start(STALLED_MS);
  const socket = await leaveUnread('stalled', 1);
  expect(await read('stalled')).toBe(503);
  await eventually(async () => expect(await read('stalled')).toBe(200));
  await new Promise((resolve) => socket.once('close', resolve).resume());
});
