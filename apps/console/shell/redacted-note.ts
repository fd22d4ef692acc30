import { formatCount } from './format-numbers.js';
import { words } from './words.js';

interface RedactedNumber {
  /** Messages that are redacted now. */
  readonly done: number;
  /** Messages on their way. */
  readonly later: number;
  /** False: there are more messages than one request redacts, and workers go on. */
  readonly isOver: boolean;
}

/** What somebody reads who had a number redacted. */
export function redactedNote({ done, later, isOver }: RedactedNumber): string {
  const { redacted } = words;
  const parts = [redacted.done(formatCount(done))];
  if (later > 0) parts.push(redacted.later(formatCount(later)));
  if (!isOver) parts.push(redacted.more);
  return parts.join(' ');
}
