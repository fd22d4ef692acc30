import { expect, test } from '@jest/globals';
import { missingDecimals } from '../../apps/console/shell/table/missing-decimals.js';

/** The column as it is drawn, with the room for what is missing. */
function drawn(amounts: readonly string[], point: string): readonly string[] {
  const parts = missingDecimals(amounts, point);
  return amounts.map((amount, place) => {
    const { end = 0, missing = '' } = parts[place] ?? {};
    return amount.slice(0, end) + missing.replaceAll(/./g, '_') + amount.slice(end);
  });
}

test.each([
  ['.', ['€100.00', '-€1,234.000001', '€0.0376'], ['€100.00____', '-€1,234.000001', '€0.0376__']],
  // The currency stands behind, and a yen has no decimals.
  [',', ['1.234,50 €', '0,0376 €', '1.000 ¥'], ['1.234,50__ €', '0,0376 €', '1.000_____ ¥']],
  ['.', ['€100.00', '–', 'unknown'], ['€100.00', '–', 'unknown']],
  ['.', ['¥100', '¥1,000'], ['¥100', '¥1,000']],
  ['.', [], []],
])('the decimal points of amounts stand below each other (%s, %j)', (point, amounts, expected) => {
  expect(drawn(amounts, point)).toEqual(expected);
});
