import { readFileSync } from 'node:fs';

/** The text of a statement file in `sql/`; the build copies the folder beside the compiled code. */
export function readSql(file: string): string {
  return readFileSync(new URL(`./sql/${file}`, import.meta.url), 'utf8');
}
