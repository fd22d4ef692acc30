/**
 * What each amount of a column lacks to have as many decimals as the others: with as much room after its last digit,
 * which is at `end`, the decimal points of all amounts stand below each other. `point` is what stands before decimals
 * in the reader's way of writing.
 */
export function missingDecimals(amounts: readonly string[], point: string) {
  const parts = amounts.map((amount) => {
    const end = amount.search(/\P{Nd}*$/u);
    const [, decimals = ''] = amount.slice(0, end).split(point);
    return { end, decimals: decimals.length };
  });
  const most = Math.max(0, ...parts.map(({ decimals }) => decimals));
  return parts.map(({ end, decimals }) => {
    // What has no digit ("unknown") is no amount, and stands at the edge.
    if (end === 0 || decimals === most) return { end, missing: '' };
    return { end, missing: (decimals === 0 ? point : '') + '0'.repeat(most - decimals) };
  });
}
