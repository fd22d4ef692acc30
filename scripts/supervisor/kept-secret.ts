import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/**
 * The secret in a file that only its owner can read. The first use makes it, so that a restart has the same one, also
 * after a power cut.
 */
export function keepSecret(file: string, make: () => string): string {
  if (existsSync(file)) {
    const kept = readFileSync(file, 'utf8').trim();
    if (kept !== '') return kept;
  }
  const made = make();
  writeFileSync(file, `${made}\n`, { mode: 0o600, flush: true });
  return made;
}
