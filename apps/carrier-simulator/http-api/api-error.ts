import { Status } from '../pdu-fields.js';

/** A refusal of the API: an HTTP status, and a code of its error dictionary. */
export interface ApiError {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly retryAfterSeconds?: number;
}

export const AUTHENTICATE: ApiError = { status: 401, code: 20003, message: 'Authenticate' };
export const NOT_FOUND: ApiError = { status: 404, code: 20404, message: 'The requested resource was not found' };
export const INVALID_TO: ApiError = { status: 400, code: 21211, message: "Invalid 'To' Phone Number" };

const BY_STATUS: Readonly<Record<number, ApiError>> = {
  [Status.ESME_RINVDSTADR]: INVALID_TO,
  [Status.ESME_RINVSRCADR]: { status: 400, code: 21212, message: "Invalid 'From' Phone Number" },
  [Status.ESME_RTHROTTLED]: { status: 429, code: 20429, message: 'Too Many Requests' },
  [Status.ESME_RMSGQFUL]: { status: 429, code: 21611, message: "This 'From' number has too many queued messages" },
  [Status.ESME_RSYSERR]: { status: 503, code: 20503, message: 'Service Unavailable', retryAfterSeconds: 1 },
};

/** The HTTP error for a command_status of the SMPP side. */
export function errorOfStatus(status: number): ApiError {
  return BY_STATUS[status] ?? { status: 400, code: 21620, message: 'The message was refused' };
}
