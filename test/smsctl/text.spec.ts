import { expect, test } from '@jest/globals';
import { table } from '../../apps/smsctl/text.js';

test('the columns of a table are two spaces apart, whatever they contain, and numbers are aligned right', () => {
  const rows = [
    ['Acme', 5, null],
    ['日本 😀', 1_000, 'e\u0301\tx'],
    ['Bravo', undefined, ''],
  ];
  expect(table(['name', '>messages', 'note'], rows, 'None.').split('\n')).toEqual([
    'NAME     MESSAGES  NOTE',
    'Acme            5  -',
    '日本 😀      1000  e\u0301 x',
    'Bravo           -  -',
  ]);
  expect(table(['name'], [], 'None.')).toBe('None.');
});

test('a table of 20,000 lines takes less than 5 s of processor time', () => {
  const rows = Array.from({ length: 20_000 }, (_, index) => [index, '0.05', 'Sweden']);
  const before = process.cpuUsage();
  expect(table(['prefix', '>price', 'country'], rows, 'None.').split('\n')).toHaveLength(20_001);
  expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
});
