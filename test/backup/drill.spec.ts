import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

test('the drill pipes no command of smsctl: the shell would take the exit code of the last one of the pipe', () => {
  const lines = readFileSync('scripts/backup/drill.sh', 'utf8').split('\n');
  const commands = lines.filter((line) => /^\s*smsctl [a-z]/.test(line));
  expect(commands.length).toBeGreaterThan(5);
  expect(commands.filter((line) => /[^|]\|[^|]/.test(line))).toEqual([]);
});
