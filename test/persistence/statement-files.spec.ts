import { expect, test } from '@jest/globals';
import { statementFile } from '#operations';
import type { MonthlyStatement } from '#persistence';

test('in the hour after its month, a statement has the balance at the end of the month, and not that of now', () => {
  const statement: MonthlyStatement = {
    accountId: '1001',
    name: 'Acme',
    currency: 'EUR',
    month: '2026-10',
    from: new Date('2026-10-01T00:00:00Z'),
    to: new Date('2026-11-01T00:00:00Z'),
    madeAt: new Date('2026-11-01T00:30:00Z'),
    isFinal: false,
    opening: 0n,
    deposits: [],
    adjustments: [],
    charges: [],
    refunds: [],
    notItemised: 0n,
    totals: { deposits: 0n, adjustments: 0n, charges: 0n, refunds: 0n },
    closing: 0n,
  };
  expect(statementFile(statement, 'html').text).toContain('Balance at 2026-11-01 00:00 UTC');
  expect(statementFile(statement, 'csv').text).toContain('\r\nprovisional,2026-11-01T00:00:00.000Z,');
  const before = { ...statement, madeAt: new Date('2026-10-31T23:30:00Z') };
  expect(statementFile(before, 'html').text).toContain('Balance at 2026-10-31 23:30 UTC');
  expect(statementFile(before, 'csv').text).toContain('\r\nprovisional,2026-10-31T23:30:00.000Z,');
});
