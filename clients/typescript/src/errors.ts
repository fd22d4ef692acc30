import type { Problem } from './types.gen.js';

/** A code of the service. A newer service may have codes that this list does not. */
export type ProblemCode = Problem['code'] | (string & {});

/** One fault of one field; `arrayPosition` says which entry of a batch has it. */
export type FieldFault = NonNullable<Problem['errors']>[number];

/** Everything that this library throws, except the reason of an `AbortSignal` of the caller. */
export class HeliographError extends Error {
  override readonly name: string = 'HeliographError';
  /** Of a send that failed: the same send with this key is charged at most once. */
  idempotencyKey: string | undefined;
}

/** What is known of a refusal before its class is chosen. */
export interface Refusal {
  readonly status: number;
  /** The problem document; undefined when something else has answered, such as a proxy. */
  readonly problem: Problem | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
}

/** The service refused the request. Each `code` has one status, and each status one class. */
export class ApiError extends HeliographError {
  override readonly name: string = 'ApiError';
  readonly status: number;
  /** Stable: switch on this. Undefined when something else has answered, such as a proxy. */
  readonly code: ProblemCode | undefined;
  /** Names the request in the logs of the service. */
  readonly requestId: string | undefined;
  /** The faults of the fields and entries, where they are at fault. */
  readonly errors: readonly FieldFault[];
  /** What `Retry-After` said. */
  readonly retryAfterSeconds: number | undefined;
  /** The problem document as it came (RFC 9457). */
  readonly problem: Problem | undefined;

  constructor({ status, problem, requestId, retryAfterSeconds }: Refusal) {
    super(problem === undefined ? `The service answered ${status}` : `${problem.code}: ${problem.detail}`);
    this.status = status;
    this.code = problem?.code;
    this.requestId = problem?.requestId ?? requestId;
    this.errors = problem?.errors ?? [];
    this.retryAfterSeconds = retryAfterSeconds;
    this.problem = problem;
  }
}

/** 400, 413, 415 and the like: the request is wrong; `errors` names the fields. */
export class InvalidRequestError extends ApiError {
  override readonly name = 'InvalidRequestError';
}

/** 401: there is no key, it is unknown or revoked, or it has expired. */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError';
}

/** 402: the balance does not cover the price. Nothing was charged. */
export class InsufficientBalanceError extends ApiError {
  override readonly name = 'InsufficientBalanceError';
  readonly balance = this.problem?.balance;
  /** The price of the request. */
  readonly required = this.problem?.required;
  readonly currency = this.problem?.currency;
}

/** 403: the key or the account may not do this. */
export class PermissionDeniedError extends ApiError {
  override readonly name = 'PermissionDeniedError';
  /** With `insufficient_scope`: the scope that the endpoint needs. */
  readonly scope = this.problem?.scope;
}

/** 404: the account has nothing of this id. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError';
}

/** 409: the state of things does not allow it, e.g. `reference_used`. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError';
}

/** 422: the request is well-formed, and the service cannot do it, e.g. `no_rate`. Nothing was charged. */
export class UnprocessableError extends ApiError {
  override readonly name = 'UnprocessableError';
}

/** 429: a limit is reached, and trying again did not help within the bounds of the call. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError';
  /** The limits, as `RateLimit-Policy` names them. */
  readonly violatedPolicies: readonly string[] = this.problem?.['violated-policies'] ?? [];
}

/** 408 and 5xx: the service or something before it failed, and trying again did not help. */
export class ServiceError extends ApiError {
  override readonly name = 'ServiceError';
}

/** No answer came, or it broke off. `cause` has the fault of the network. */
export class ConnectionError extends HeliographError {
  override readonly name: string = 'ConnectionError';
}

/** No answer came within `timeoutMs`. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError';
}

const CLASSES: Readonly<Record<number, new (refusal: Refusal) => ApiError>> = {
  401: AuthenticationError,
  402: InsufficientBalanceError,
  403: PermissionDeniedError,
  404: NotFoundError,
  408: ServiceError,
  409: ConflictError,
  422: UnprocessableError,
  429: RateLimitError,
};

/** The error of an answer that is not 2xx. */
export function errorOf(refusal: Refusal): ApiError {
  const { status } = refusal;
  const byRange = status >= 500 ? ServiceError : status >= 400 ? InvalidRequestError : ApiError;
  return new (CLASSES[status] ?? byRange)(refusal);
}
