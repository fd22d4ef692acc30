import { createHash } from 'node:crypto';
import { OperatorError } from './operator-error.js';

/** Names a state of what operators replace as a whole, by its rows. */
export function revisionOf(rows: readonly (readonly unknown[])[]): string {
  const text = JSON.stringify(rows.map((row) => row.map((value) => (value === undefined ? null : String(value)))));
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}

/**
 * Call it with the lock that all changes take.
 *
 * @param wanted of a preview; undefined: whatever others have changed may be replaced
 * @throws OperatorError when others have changed it since
 */
export function requireRevision(wanted: string | undefined, now: string): void {
  if (wanted === undefined || wanted === now) return;
  throw new OperatorError('somebody has made another change since the preview: look again');
}
