import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Host, Network } from '../../tools/harness/hosts.js';
import { listen } from '../../tools/harness/listen.js';

const missing = Network.missing();

/** Whether a process on the host gets an answer from this port within three seconds. */
async function isHeard(host: Host, address: string, port: number): Promise<boolean> {
  const ask = `require('node:net').connect(${port}, '${address}').setTimeout(3000, () => process.exit(1))
    .on('error', () => process.exit(1)).on('data', () => process.exit(0))`;
  const run = promisify(execFile)('ip', ['netns', 'exec', host.name, process.execPath, '-e', ask]);
  return run.then(
    () => true,
    () => false,
  );
}

// Without the rights or programs for network namespaces there is no network to test; npm run faults says so as well.
if (missing === undefined) {
  describe('a host of its own', () => {
    let network: Network;
    let host: Host;
    const server = createServer((socket) => {
      socket.on('error', () => undefined).end('here');
    });
    let port = 0;

    beforeAll(async () => {
      network = await Network.make();
      host = await network.addHost();
      port = await listen(server, network.address);
    });
    afterAll(async () => {
      server.close();
      await network.close();
    });

    test.each(['both', 'out', 'in'] as const)(
      'a partition (%s) keeps it from a server until it is mended',
      async (way) => {
        expect(await isHeard(host, network.address, port)).toBe(true);
        await host.lose({ port, isServer: false, direction: way, percent: 100 });
        expect(await isHeard(host, network.address, port)).toBe(false);
        await host.mend();
        expect(await isHeard(host, network.address, port)).toBe(true);
      },
    );

    test('other conversations of the host go on', async () => {
      await host.lose({ port: port - 1, isServer: false, direction: 'both', percent: 100 });
      expect(await isHeard(host, network.address, port)).toBe(true);
      await host.mend();
    });
  });
} else {
  test('a machine without network namespaces says what it lacks', () => {
    expect(missing).not.toBe('');
  });
}
