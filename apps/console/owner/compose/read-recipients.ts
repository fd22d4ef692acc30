import { parseRecipient } from '#billing';

export interface ReadRecipients {
  /** As written, each number once. */
  readonly recipients: readonly string[];
  /** The same in E.164 form, one for each recipient. */
  readonly destinations: readonly string[];
  /** What is no number, as written. */
  readonly faults: readonly string[];
  /** Numbers that were left out because they stand there already. */
  readonly repeated: readonly string[];
}

/** Reads numbers of which each stands on its own line, or after a comma or semicolon. */
export function readRecipients(text: string): ReadRecipients {
  const byDestination = new Map<string, string>();
  const faults: string[] = [];
  const repeated: string[] = [];
  for (const part of text.split(/[\n,;\t]/)) {
    const written = part.trim();
    if (written === '') continue;
    const destination = parseRecipient(written);
    if (destination === undefined) faults.push(written);
    else if (byDestination.has(destination)) repeated.push(written);
    else byDestination.set(destination, written);
  }
  return {
    recipients: [...byDestination.values()],
    destinations: [...byDestination.keys()],
    faults,
    repeated,
  };
}
