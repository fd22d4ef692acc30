import { ERRORS, type ErrorCode } from './error-catalogue.js';

/** One fault of one field; `arrayPosition` says which entry of a batch has it. */
export interface FieldFault {
  readonly field: string;
  readonly arrayPosition?: number;
  readonly code: string;
  readonly detail: string;
}

export interface ProblemExtras {
  readonly errors?: readonly FieldFault[];
  /** Further members of the body (RFC 9457 section 3.2); amounts are bigint micro-units. */
  readonly members?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refusal that the client is told about, in the words of the catalogue. */
export class Problem extends Error {
  constructor(
    readonly code: ErrorCode,
    readonly detail: string,
    readonly extras: ProblemExtras = {},
  ) {
    super(`${code}: ${detail}`);
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  /** The body, as RFC 9457 has it, with the contract's `success` and a stable `code`. */
  body(requestId: string): Record<string, unknown> {
    const { title, status } = ERRORS[this.code];
    return {
      type: `/docs/errors#${this.code}`,
      title,
      status,
      detail: this.detail,
      instance: `/requests/${requestId}`,
      success: false,
      code: this.code,
      requestId,
      ...(this.extras.errors && { errors: this.extras.errors }),
      ...this.extras.members,
    };
  }
}

/** One problem out of several faults: their own code when they agree, and the status of the worst otherwise. */
export function problemOf(faults: readonly FieldFault[]): Problem {
  const codes = new Set(faults.map((fault) => fault.code));
  const [only] = codes;
  const [first] = faults;
  const code = codes.size === 1 && only !== undefined && only in ERRORS ? (only as ErrorCode) : 'invalid_request';
  const detail = faults.length === 1 && first !== undefined ? first.detail : `${faults.length} faults; see errors.`;
  return new Problem(code, detail, { errors: faults });
}
