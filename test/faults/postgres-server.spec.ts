import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { PostgresServer } from '../../tools/harness/servers.js';
import { eventually } from '../support/eventually.js';

test('the harness asks on a new session when the old one has died with its server', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'heliograph-spec-'));
  // The server may run as a user of its own.
  chmodSync(parent, 0o711);
  const server = await PostgresServer.start(join(parent, 'postgres'));
  try {
    expect(await server.query('select 1 as one')).toEqual([{ one: 1 }]);
    await server.kill();
    // The session itself may notice the death of its server a moment later.
    await eventually(() => expect(server.query('select 1 as one')).rejects.toThrow());
    await server.restart();
    expect(await server.query('select 2 as two')).toEqual([{ two: 2 }]);
    await server.kill();
    await server.restart();
    expect(await server.query('select 3 as three')).toEqual([{ three: 3 }]);
    await expect(server.query('select nonsense')).rejects.toThrow('nonsense');
  } finally {
    await server.stop();
    rmSync(parent, { recursive: true, force: true });
  }
});
