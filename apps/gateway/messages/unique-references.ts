import { type Database, usedReferences } from '#persistence';
import type { FieldFault } from '../http/problem.js';
import type { SendEntry } from './messages.dto.js';
import type { Submission } from './submission.js';

/** Entries whose own reference an entry before them has. */
export function repeatedReferences(drafts: readonly SendEntry[]): readonly FieldFault[] {
  const seen = new Set<string>();
  return drafts.flatMap(({ reference }, arrayPosition) => {
    if (reference === undefined || !seen.has(reference)) {
      if (reference !== undefined) seen.add(reference);
      return [];
    }
    return [referenceUsed(reference, arrayPosition, 'An entry before this one has')];
  });
}

/** The entries whose reference an earlier message of the account has. */
export async function usedReferenceFaults(
  database: Database,
  accountId: string,
  { drafts, isBatch }: Submission,
): Promise<FieldFault[]> {
  const used = await usedReferences(
    database,
    accountId,
    drafts.flatMap(({ reference }) => reference ?? []),
  );
  return drafts.flatMap(({ reference }, index) =>
    reference !== undefined && used.has(reference)
      ? [referenceUsed(reference, isBatch ? index : undefined, 'An earlier message has')]
      : [],
  );
}

/** @param who the sentence's beginning: who has it */
function referenceUsed(reference: string, arrayPosition: number | undefined, who: string): FieldFault {
  return {
    field: 'reference',
    ...(arrayPosition !== undefined && { arrayPosition }),
    code: 'reference_used',
    detail: `${who} the reference \`${reference}\`.`,
  };
}
