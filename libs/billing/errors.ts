/** Every rule on a message that billing checks. Stable: clients switch on them. */
export type RuleCode =
  | 'recipient_invalid'
  | 'message_empty'
  | 'message_invalid_character'
  | 'message_too_long'
  | 'no_rate';

/**
 * A rule that a message breaks, as plain data: checking a batch makes one for every fault and throws nothing. `detail`
 * is a sentence for a person; it never repeats the text or the number.
 */
export interface Violation {
  readonly code: RuleCode;
  readonly field: 'recipient' | 'message';
  readonly detail: string;
}

/** A limit that a message exceeds and its client has set. */
export interface LimitViolation {
  readonly code: 'price_above_max' | 'too_many_segments';
  readonly field: 'maxPrice' | 'maxSegments';
  readonly detail: string;
}

/** A guard of the account that a message breaks. */
export interface GuardViolation {
  readonly code: 'destination_blocked' | 'price_above_max';
  readonly field: 'recipient';
  readonly detail: string;
}

/** A broken rule, thrown if the caller cannot go on. */
export class RuleViolation extends Error implements Violation {
  readonly code: RuleCode;
  readonly field: 'recipient' | 'message';
  readonly detail: string;

  constructor(violation: Violation) {
    super(violation.detail);
    this.name = 'RuleViolation';
    this.code = violation.code;
    this.field = violation.field;
    this.detail = violation.detail;
  }
}

export const RECIPIENT_INVALID: Violation = {
  code: 'recipient_invalid',
  field: 'recipient',
  detail:
    'The recipient is not an international phone number: 7 to 15 digits beginning with the country code, optionally after ' +
    '"+" or "00"; spaces, dots, dashes and parentheses may separate digits.',
};

export const NO_RATE: Violation = {
  code: 'no_rate',
  field: 'recipient',
  detail: "The account's tariff has no price for this destination.",
};

export const MESSAGE_EMPTY: Violation = {
  code: 'message_empty',
  field: 'message',
  detail: 'The message is empty or has nothing but white space.',
};

/** Names the first character that cannot be sent and where it stands. */
export function messageInvalidCharacter(first: { readonly codePoint: string; readonly position: number }): Violation {
  const kind = /^U\+D[89A-F]/.test(first.codePoint) ? 'half of a surrogate pair' : 'a control character';
  return {
    code: 'message_invalid_character',
    field: 'message',
    detail: `The message has ${first.codePoint}, ${kind}, at position ${first.position}; it cannot be sent. Of the control characters only CR and LF may be used.`,
  };
}

/** Says how long the message is and how long it may be in its character set. */
export function messageTooLong(length: number, encoding: 'standard' | 'extended', segments: number): Violation {
  const allowed =
    encoding === 'standard'
      ? 'a message in the standard character set holds at most 39,015 characters (255 segments of 153)'
      : 'a message in the extended character set holds at most 255 segments of 63 UTF-16 code units (16,065)';
  const unit = encoding === 'standard' ? 'characters' : 'UTF-16 code units';
  return {
    code: 'message_too_long',
    field: 'message',
    detail: `The message has ${grouped(length)} ${unit} in ${grouped(segments)} segments; ${allowed}.`,
  };
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
