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
  /** What becomes of the message, for people. */
  readonly meaning: string;
}

const ANSWER_AFTER_MS = 20;
const RECEIPT_AFTER_MS = 250;
const SLOW_MS = 2_000;
const LATE_MS = 5_000;

const USUAL: SandboxOutcome = {
  answerAfterMs: ANSWER_AFTER_MS,
  receiptAfterMs: RECEIPT_AFTER_MS,
  meaning: '`delivered`, at once',
};

/**
 * By the last two digits of a number that ends in 9000NN. `+44 7700 9000NN` are among them, which Ofcom never gives to
 * a subscriber ("Numbers for use in TV and radio drama"). The digits are those of the carrier simulator's magic
 * numbers.
 */
const OUTCOMES: ReadonlyMap<string, SandboxOutcome> = new Map([
  ['00', USUAL],
  [
    '01',
    {
      answerAfterMs: ANSWER_AFTER_MS,
      refusal: 'ESME_RINVDSTADR',
      meaning: '`failed`: the carrier refuses it, and its price is given back',
    },
  ],
  ['10', { ...USUAL, answerAfterMs: SLOW_MS, meaning: '`delivered`, slowly: the carrier takes it after 2 seconds' }],
  ['20', { ...USUAL, failure: { code: 'UNDELIV' }, meaning: '`undelivered`: the carrier could not deliver it' }],
  ['21', { ...USUAL, failure: { code: 'EXPIRED' }, meaning: '`undelivered`: its validity ended at the carrier' }],
  ['22', { ...USUAL, failure: { code: 'REJECTD' }, meaning: '`undelivered`: the network rejected it' }],
  ['23', { ...USUAL, failure: { code: 'DELETED' }, meaning: '`undelivered`: the carrier deleted it' }],
  [
    '25',
    {
      ...USUAL,
      failure: { code: 'UNDELIV', onlyLastSegment: true },
      meaning: '`undelivered`: its last segment is, the others are delivered',
    },
  ],
  ['30', { ...USUAL, receiptAfterMs: LATE_MS, meaning: '`delivered`, late: it stays `sent` for 5 seconds' }],
  [
    '33',
    { answerAfterMs: ANSWER_AFTER_MS, meaning: '`unknown`: no receipt comes; about a minute later the wait is over' },
  ],
]);

/** Numbers that are no subscriber's, with what becomes of a test message to each. */
export const SANDBOX_RECIPIENTS: readonly { readonly recipient: string; readonly outcome: SandboxOutcome }[] = [
  ...OUTCOMES,
].map(([digits, outcome]) => ({ recipient: `+4477009000${digits}`, outcome }));

/** The outcome of a message to these digits; every number that is not in the table is delivered. */
export function outcomeOf(destination: string): SandboxOutcome {
  const [, digits = ''] = /9000([0-9]{2})$/.exec(destination) ?? [];
  return OUTCOMES.get(digits) ?? USUAL;
}
