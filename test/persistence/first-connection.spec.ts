import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { createTestDatabase } from '../support/database.js';
import { openTestDatabase } from '../support/secrets.js';

test('a process starts although its first connection to the database takes too long', async () => {
  const server = await createTestDatabase();
  const { hostname, port } = new URL(server.url);
  const sockets: Socket[] = [];
  const front = createServer((near) => {
    sockets.push(near.on('error', () => undefined));
    // The first connection is taken, and gets no answer.
    if (sockets.length > 1) near.pipe(connect(Number(port), hostname)).pipe(near);
  }).listen(0, '127.0.0.1');
  await once(front, 'listening');
  try {
    const url = new URL(server.url);
    url.port = String((front.address() as AddressInfo).port);
    const database = await openTestDatabase(url.href);
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
    await database.close();
    expect(sockets.length).toBeGreaterThan(1);
  } finally {
    for (const socket of sockets) socket.destroy();
    front.close();
    await server.drop();
  }
});
