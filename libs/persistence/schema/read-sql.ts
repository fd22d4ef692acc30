import { readFileSync } from 'node:fs';

/** The text of a statement file of this lib; the build copies it beside the compiled code. */
export function readSql(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
}
