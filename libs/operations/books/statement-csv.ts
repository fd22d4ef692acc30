import { closingTime, type MonthlyStatement } from '#persistence';
import { csvHeader, csvLine } from '../csv.js';

const COLUMNS = [
  'line',
  'time',
  'destination',
  'country',
  'unit_price',
  'messages',
  'segments',
  'change',
  'currency',
  'paid',
  'paid_currency',
  'fx_rate',
  'text',
];
const FREE = new Set(['country', 'text']);

/**
 * A statement as CSV: a line for each deposit, correction, charge and refund between the opening and the closing
 * balance. The `change` of all lines above the last one adds up to that of the last one, the closing balance.
 */
export function statementCsv(statement: MonthlyStatement): string {
  const { currency, from, isFinal, opening, closing, notItemised } = statement;
  const rows: object[] = [
    { line: 'opening', time: from, change: opening },
    ...statement.deposits.map(({ at, booked, amount, currency: paidIn, fxRate, reference }) => ({
      line: 'deposit',
      time: at,
      change: booked,
      paid: amount,
      paid_currency: paidIn,
      fx_rate: fxRate,
      text: reference,
    })),
    ...statement.adjustments.map(({ at, amount, reason }) => ({
      line: 'adjustment',
      time: at,
      change: amount,
      text: reason,
    })),
    ...statement.charges.map(({ day, unitPrice, amount, ...charge }) => ({
      ...charge,
      line: 'charge',
      time: day,
      unit_price: unitPrice,
      change: -amount,
    })),
    ...(notItemised === 0n ? [] : [{ line: 'charge', time: from, change: -notItemised, text: 'not itemised' }]),
    ...statement.refunds.map(({ day, messages, amount }) => ({ line: 'refund', time: day, messages, change: amount })),
    { line: isFinal ? 'closing' : 'provisional', time: closingTime(statement), change: closing },
  ];
  return csvHeader(COLUMNS) + rows.map((row) => csvLine({ ...row, currency }, COLUMNS, FREE)).join('');
}
