import { spawnSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import { guessLayout, planFrom } from '../../apps/console/owner/batch/plan.js';
import { readRecipients } from '../../apps/console/owner/compose/read-recipients.js';
import { sendAtFault } from '../../apps/console/owner/sending/send-at.js';
import { beginOfDay } from '../../apps/console/shell/date-fields.js';

describe('the recipients that somebody writes', () => {
  test('stand on lines, or after commas and semicolons, and may have spaces', () => {
    const { recipients, destinations, faults } = readRecipients('+46 70 123 45 67, 0049 170 1234567;\n\n33612345678 ');
    expect(recipients).toEqual(['+46 70 123 45 67', '0049 170 1234567', '33612345678']);
    expect(destinations).toEqual(['46701234567', '491701234567', '33612345678']);
    expect(faults).toEqual([]);
  });

  test('get the message once, however often a number is written', () => {
    expect(readRecipients('+46701234567\n0046 70 1234567')).toMatchObject({
      recipients: ['+46701234567'],
      repeated: ['0046 70 1234567'],
    });
  });

  test('are named if they are no international numbers', () => {
    expect(readRecipients('070 123 45 67, Anna\n+46701234567')).toMatchObject({
      recipients: ['+46701234567'],
      faults: ['070 123 45 67', 'Anna'],
    });
  });
});

test.each([
  ['', 'missing'],
  ['2026-11-23T10:00', 'past'],
  ['2026-11-23T10:01', undefined],
  ['2026-12-23T10:00', undefined],
  ['2026-12-23T10:01', 'far'],
])('a time of %j at 10:00 is %s', (local, fault) => {
  expect(sendAtFault(local, new Date('2026-11-23T10:00').getTime())).toBe(fault);
});

test('a day without a midnight, as in Cairo when the clocks change, ends at the next one', () => {
  expect(beginOfDay('2026-04-31T')).toBeUndefined();
  const fields = new URL('../../apps/console/shell/date-fields.js', import.meta.url).href;
  const script = `import { beginOfDay } from '${fields}'; console.log(beginOfDay('2026-04-24'), beginOfDay('2026-04-24', 1))`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    env: { TZ: 'Africa/Cairo' },
    encoding: 'utf8',
  });
  expect(stdout).toBe('2026-04-23T22:00:00.000Z 2026-04-24T21:00:00.000Z\n');
});

describe('the layout of a file', () => {
  const row = (number: number, ...cells: string[]) => ({ number, cells });
  const file = { rows: [row(1, 'Name', 'Mobile', 'Text'), row(2, 'Åsa', '+46701234567', 'Hej')], width: 3 };

  test('is guessed so that a file with a text needs nothing more', () => {
    const layout = guessLayout({ ...file, delimiter: ',' });
    expect(layout).toEqual({ hasHeader: true, recipient: 1, template: '{Text}', countryCode: '' });
    const plan = planFrom({ ...file, delimiter: ',' }, layout);
    expect([plan.rows.length, plan.columns, plan.mapping?.recipient]).toEqual([1, ['Name', 'Mobile', 'Text'], 1]);
  });

  test.each([
    ['no text', { template: ' ' }],
    ['an unknown column', { template: '{nme}' }],
    ['no column with the number', { recipient: undefined }],
  ])('with %s makes no messages', (_what, change) => {
    const layout = { hasHeader: true, recipient: 1, template: '{Text}', countryCode: '', ...change };
    expect(planFrom({ ...file, delimiter: ',' }, layout).mapping).toBeUndefined();
  });
});
