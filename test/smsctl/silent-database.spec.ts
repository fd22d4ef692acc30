import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { Database } from '#persistence';
import { createTestDatabase } from '../support/database.js';
import { TEST_SECRET_KEYS } from '../support/secrets.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { runSmsctl, SMSCTL } from './run-smsctl.js';

/** AuthenticationOk and ReadyForQuery (PostgreSQL manual, message formats). */
const WELCOME = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);

let close: () => Promise<void> = async () => undefined;
afterEach(() => close());

test('a command ends by itself when the database takes the connection and says nothing more', async () => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.once('data', () => socket.write(WELCOME));
  });
  const port = await listening(server);
  close = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  const DATABASE_URL = `postgres://postgres@127.0.0.1:${port}/heliograph`;
  // A process of its own: it has to end.
  const { code, stderr } = await runSmsctl(['account', 'list'], { DATABASE_URL }, { file: SMSCTL });
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^smsctl: cannot reach the database at postgres:\/\/postgres@127\.0\.0\.1:\d+\/heliograph \(DATABASE_URL\): .+\n$/,
  );
});

test('a connection through which nothing comes back is closed, in a statement or between two', async () => {
  const testDatabase = await createTestDatabase();
  const proxy = await TcpProxy.before(testDatabase.url);
  close = async () => {
    await proxy.close();
    await testDatabase.drop();
  };
  const url = proxy.through(testDatabase.url);
  const open = () =>
    Database.openSingle({ url, applicationName: 'spec', secretKeys: TEST_SECRET_KEYS, statementTimeoutMs: 100 });
  const [asking, idle] = [await open(), await open()];
  proxy.swallow();
  await expect(asking.query('select 1')).rejects.toThrow('timeout');
  await Promise.all([asking.close(), idle.close()]);
});

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening');
  return address.port;
}
