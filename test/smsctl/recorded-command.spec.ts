import { expect, test } from '@jest/globals';
import { operatorOf } from '../../apps/smsctl/operator.js';

test('the audit log has no number of a recipient, however an operator writes it', () => {
  for (const number of [
    '+46701234567',
    '46701234567',
    '+46 70 123 45 67',
    '+46 (0)70-123.45.67',
    '0046 70 123 45 67',
    '46-70-1234567',
    ' +46701234567',
  ]) {
    expect(recorded('redact', 'number', '1001', number)).not.toMatch(/67'?$/);
    expect(recorded('inbound', 'list', `--sender=${number}`, '--with-text')).not.toMatch(/67'? --with-text$/);
  }
});

test('it has amounts, times and addresses as they were written', () => {
  for (const word of ['1234567890.25', '-1234567.50', '2026-11-20', '192.168.100.200', '3f9a1c0e']) {
    expect(recorded('command', word, `--option=${word}`)).toBe(`smsctl command ${word} --option=${word}`);
  }
});

function recorded(...args: readonly string[]): string {
  return String(operatorOf({}, args).command);
}
