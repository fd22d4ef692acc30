import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatMicros, type Micros } from '#billing';

/** One price for every number. */
export function flatRates(price: Micros): string[] {
  return [...'123456789'].map((prefix) => `${prefix},${formatMicros(price)}`);
}

/** @returns the path of the file */
export function writeCsv(dir: string, name: string, head: string, lines: readonly string[]): string {
  const file = join(dir, name);
  writeFileSync(file, [head, ...lines, ''].join('\n'));
  return file;
}
