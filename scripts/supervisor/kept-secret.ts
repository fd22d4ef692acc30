import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** What a file keeps for its owner alone, made on first use, so that a restart has the same. */
export function keepSecret(file: string, make: () => string): string {
  if (existsSync(file)) {
    const kept = readFileSync(file, 'utf8').trim();
    if (kept !== '') return kept;
  }
  const made = make();
  writeFileSync(file, `${made}\n`, { mode: 0o600 });
  return made;
}
