import { type Database, usedReferences } from '#persistence';
import { isJsonObject } from '../http/json-body.js';
import type { FieldFault } from '../http/problem.js';
import type { SendEntry } from './messages.dto.js';

/** The part of a submission that references are judged by. */
interface Drafts {
  readonly drafts: readonly SendEntry[];
  readonly isBatch: boolean;
  readonly faults: readonly FieldFault[];
}

const NO_REFERENCE: FieldFault = {
  field: 'uniqueReference',
  code: 'invalid_request',
  detail: 'uniqueReference needs a reference.',
};

/** Asks for references that no earlier message has, which is a fault where there are none. */
export function withUniqueReferences<Given extends Drafts>(submission: Given): Given & { uniqueReferences?: true } {
  const { drafts, faults } = submission;
  if (faults.length > 0) return submission;
  return drafts.some(({ reference }) => reference !== undefined)
    ? { ...submission, uniqueReferences: true }
    : { ...submission, faults: [NO_REFERENCE] };
}

/** Entries whose own reference an entry before them has. If their shape has faults, they may be anything. */
export function repeatedReferences(drafts: readonly unknown[]): readonly FieldFault[] {
  const seen = new Set<string>();
  return drafts.flatMap((draft, arrayPosition) => {
    const reference = isJsonObject(draft) ? draft.reference : undefined;
    if (typeof reference !== 'string') return [];
    if (seen.has(reference)) return [referenceUsed(reference, arrayPosition, 'An entry before this one has')];
    seen.add(reference);
    return [];
  });
}

/** The entries whose reference an earlier message of the account has. */
export async function usedReferenceFaults(
  database: Database,
  accountId: string,
  { drafts, isBatch }: Drafts,
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
