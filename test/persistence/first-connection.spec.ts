import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { createTestDatabase } from '../support/database.js';
import { openTestDatabase } from '../support/secrets.js';

/** What a server says while it starts up (PostgreSQL manual, "Message Formats", ErrorResponse). */
const STARTING_UP = errorResponse({ S: 'FATAL', V: 'FATAL', C: '57P03', M: 'the database system is starting up' });

test.each<[string, (near: Socket) => void]>([
  ['gets no answer', () => undefined],
  ['is told that the server starts up', (near) => near.once('data', () => near.end(STARTING_UP))],
])('a process starts although its first connection to the database %s', async (_, first) => {
  const server = await createTestDatabase();
  const { hostname, port } = new URL(server.url);
  const sockets: Socket[] = [];
  const front = createServer((near) => {
    sockets.push(near.on('error', () => undefined));
    if (sockets.length === 1) first(near);
    else near.pipe(connect(Number(port), hostname)).pipe(near);
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

function errorResponse(fields: Readonly<Record<string, string>>): Buffer {
  const body = Buffer.from(
    `${Object.entries(fields)
      .map(([code, value]) => `${code}${value}\0`)
      .join('')}\0`,
  );
  const head = Buffer.from('E\0\0\0\0', 'latin1');
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}
