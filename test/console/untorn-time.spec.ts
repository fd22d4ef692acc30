import { expect, test } from '@jest/globals';
import { untornTime } from '../../apps/console/shell/untorn-time.js';

const AFTERNOON = new Date('2026-11-30T16:47:04Z');

test.each([
  ['en-GB', ['30 Nov 2026,', '16:47:04']],
  ['en-US', ['Nov 30, 2026,', '4:47:04 PM']],
  ['en-IN', ['30 Nov 2026,', '4:47:04 pm']],
  ['vi', ['16:47:04', '30 thg 11, 2026']],
  ['bg', ['30.11.2026 г.,', '16:47:04']],
  ['de', ['30.11.2026,', '16:47:04']],
] as const)('a day and its time are torn between them only, as a browser in %s writes them', (locale, lines) => {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });
  const text = untornTime(format, AFTERNOON);
  expect(text.split(' ').map((line) => line.replaceAll(/[\u00a0\u202f]/g, ' '))).toEqual(lines);
});
