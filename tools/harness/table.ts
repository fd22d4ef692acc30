import Table from 'cli-table3';

/**
 * A table for people, without colours, so that it can be pasted: the first column to the left, the others to the right.
 */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const colAligns = head.map((_, index) => (index === 0 ? 'left' : 'right'));
  const table = new Table({ head: [...head], style: { head: [], border: [] }, colAligns });
  for (const row of rows) table.push([...row]);
  return table.toString();
}

/** `0`, or every status and error with its count. */
export function countsText(counts: Readonly<Record<string, number>>): string {
  const entries = Object.entries(counts);
  if (entries.length === 0) return '0';
  return entries.map(([name, count]) => `${name}: ${count}`).join(', ');
}

/** With a comma between thousands, whatever the locale of the machine. */
export function wholeNumber(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
