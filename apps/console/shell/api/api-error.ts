/** One field at fault (`errors[]` of a problem). */
export interface ProblemFault {
  readonly field: string;
  readonly code: string;
  readonly detail: string;
  readonly arrayPosition?: number;
}

/** An answer that is not a success, or none at all: `status` is 0 if the service could not be reached. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly title: string,
    detail: string,
    readonly faults: readonly ProblemFault[] = [],
    readonly requestId: string | undefined = undefined,
    readonly retryAfterSeconds: number | undefined = undefined,
    /** What else the problem says, e.g. `balance` and `required`. */
    readonly members: Readonly<Record<string, unknown>> = {},
  ) {
    super(detail);
  }

  get isUnreachable(): boolean {
    return this.status === 0;
  }

  /** The session is over: the dialog that asks for another one says so. A wrong password or code ends no session. */
  get isOfSession(): boolean {
    return this.status === 401 && this.code !== 'sign_in_failed';
  }

  /** Asking again later may help. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}
