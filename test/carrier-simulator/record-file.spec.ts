import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { boundClient, simulator } from './harness.js';
import { messageIdOf } from './raw-client.js';

describe('the log file', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'simulator-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const lines = (path: string) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line): Record<string, unknown> => JSON.parse(line));

  test('holds a submit_sm when its answer arrives, and everything else in the order in which it happened', async () => {
    const logFile = join(folder, 'log.jsonl');
    const running = await simulator({ logFile, receiptDelayMs: 0 });
    const raw = await boundClient(running);
    const messageId = messageIdOf(await raw.submit({ userData: Buffer.from('secret') }));
    expect(lines(logFile).at(-1)).toMatchObject({ kind: 'submit', text: 'secret', messageId });
    await raw.until(() => raw.deliveries.length === 1);
    expect(lines(logFile)).toContainEqual(expect.objectContaining({ kind: 'receipt', messageId }));
    await running.close();
    expect(lines(logFile).map(({ kind }) => kind)).toEqual(['bind', 'submit', 'receipt', 'acknowledgement', 'closed']);
    expect(statSync(logFile).mode & 0o077).toBe(0);
  });

  test('is appended to when the simulator starts again', async () => {
    const logFile = join(folder, 'log.jsonl');
    for (let round = 0; round < 2; round++) {
      const running = await simulator({ logFile, keepRecords: false });
      await (await boundClient(running)).submit();
      expect(running.records.submits).toEqual([]);
      await running.close();
    }
    expect(lines(logFile).filter(({ kind }) => kind === 'submit')).toHaveLength(2);
  });

  test('that cannot be opened is an error at the start', async () => {
    await expect(simulator({ logFile: join(folder, 'missing', 'log') })).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
