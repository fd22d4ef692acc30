/** What the sandbox does with a message, by its recipient. */
export interface SandboxOutcome {
  /** How long the answer takes. */
  readonly answerAfterMs: number;
  /** It takes no message, for this reason. */
  readonly refusal?: string;
  /** How long after the answer the receipt comes; undefined: never. */
  readonly receiptAfterMs?: number;
  /** Undefined: every segment is delivered. */
  readonly failure?: { readonly code: string; readonly onlyLastSegment?: true };
}

const ANSWER_AFTER_MS = 20;
const RECEIPT_AFTER_MS = 250;
const SLOW_MS = 2_000;
const LATE_MS = 5_000;

const USUAL: SandboxOutcome = { answerAfterMs: ANSWER_AFTER_MS, receiptAfterMs: RECEIPT_AFTER_MS };

/**
 * By the last two digits of a number that ends in 9000NN. `+44 7700 9000NN` are among them, which Ofcom never gives to
 * a subscriber ("Numbers for use in TV and radio drama"). The digits are those of the carrier simulator's magic
 * numbers, and docs/test-mode.md lists them.
 */
const OUTCOMES: Readonly<Record<string, SandboxOutcome>> = {
  '01': { answerAfterMs: ANSWER_AFTER_MS, refusal: 'ESME_RINVDSTADR' },
  '10': { ...USUAL, answerAfterMs: SLOW_MS },
  '20': { ...USUAL, failure: { code: 'UNDELIV' } },
  '21': { ...USUAL, failure: { code: 'EXPIRED' } },
  '22': { ...USUAL, failure: { code: 'REJECTD' } },
  '23': { ...USUAL, failure: { code: 'DELETED' } },
  '25': { ...USUAL, failure: { code: 'UNDELIV', onlyLastSegment: true } },
  '30': { ...USUAL, receiptAfterMs: LATE_MS },
  '33': { answerAfterMs: ANSWER_AFTER_MS },
};

/** The outcome of a message to these digits; every number that is not in the table is delivered. */
export function outcomeOf(destination: string): SandboxOutcome {
  const [, digits = ''] = /9000([0-9]{2})$/.exec(destination) ?? [];
  return OUTCOMES[digits] ?? USUAL;
}
