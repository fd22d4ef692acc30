/**
 * What an error of the API means for the message or for the carrier:
 *
 * - `account`: the message is right, but our account or its settings are wrong; only the operator can repair that.
 * - `sender`: the sender may not send. Who chose the sender decides whose fault it is.
 */
export type ErrorKind = 'refused' | 'throttled' | 'temporary' | 'in-doubt' | 'account' | 'sender';

/** The kinds that an operator may give a code. */
export const ERROR_KINDS = ['refused', 'throttled', 'temporary', 'in-doubt', 'account'] as const;

type Row = readonly [code: number, kind: ErrorKind, meaning: string];

/**
 * Codes of the provider's error dictionary whose HTTP status is not enough. All other codes follow their status
 * (`kindOfStatus`): the dictionary grows and changes, a status does not.
 */
const CODE_TABLE: readonly Row[] = [
  [20003, 'account', 'authentication failed'],
  [20005, 'account', 'account not active'],
  [20006, 'account', 'access denied'],
  [20008, 'account', 'not possible with test credentials'],
  [20404, 'account', 'no such account'],
  [20429, 'throttled', 'too many requests'],
  [20503, 'throttled', 'service unavailable'],
  [14107, 'throttled', 'send rate exceeded'],
  [21211, 'refused', 'invalid To number'],
  [21212, 'sender', 'invalid From number'],
  [21265, 'refused', 'To is a short code'],
  [21266, 'refused', 'To and From are the same'],
  [21408, 'refused', 'region of the To number not enabled'],
  [21601, 'sender', 'From is not a number for SMS'],
  [21602, 'refused', 'Body missing'],
  [21603, 'account', 'From missing'],
  [21604, 'refused', 'To missing'],
  [21606, 'sender', 'From not valid for this account or To'],
  [21608, 'refused', 'To not verified (trial account)'],
  [21609, 'account', 'invalid StatusCallback'],
  [21610, 'refused', 'recipient has unsubscribed'],
  [21611, 'throttled', 'queue of the From number is full'],
  [21612, 'refused', 'To cannot be reached from From'],
  [21614, 'refused', 'To is not a mobile number'],
  [21617, 'refused', 'Body over 1,600 characters'],
  [21635, 'refused', 'To is a landline'],
  [21659, 'sender', 'From is not a number of the provider'],
  [21660, 'sender', 'From belongs to another account'],
  [21661, 'sender', 'From cannot send SMS'],
  [21701, 'account', 'no such messaging service'],
  [21703, 'account', 'messaging service has no numbers'],
  [30001, 'throttled', 'queue overflow'],
  [30002, 'account', 'account suspended'],
  [30022, 'throttled', 'rate limit of the network'],
  [30023, 'throttled', 'daily limit of the network'],
  [63017, 'throttled', 'rate limit of the account'],
  [63038, 'throttled', 'daily limit of the account'],
];

const BY_CODE = new Map(CODE_TABLE.map(([code, kind]) => [code, kind] as const));

/** The meaning of an answer other than 2xx: the operator's setting first, then the table, then the status. */
export function kindOfError(
  status: number,
  code: number | undefined,
  hasRetryAfter: boolean,
  own: Readonly<Record<string, ErrorKind>> = {},
): ErrorKind {
  // By code, then by status: both are digits, of different length.
  const ownKind = (code === undefined ? undefined : own[code]) ?? own[status];
  if (ownKind !== undefined) return ownKind;
  const byCode = code === undefined ? undefined : BY_CODE.get(code);
  // A failing server may have failed after it took the message, whatever its code says.
  if (byCode !== undefined && (status < 500 || byCode === 'throttled')) return byCode;
  return kindOfStatus(status, hasRetryAfter);
}

function kindOfStatus(status: number, hasRetryAfter: boolean): ErrorKind {
  switch (status) {
    case 429:
      return 'throttled';
    // The request was incomplete or came to a wrong server: none of these can have taken the message.
    case 408:
    case 421:
    case 425:
      return 'temporary';
    case 401:
    case 402:
    case 403:
    case 404:
    case 405:
    case 407:
    case 410:
    case 501:
      return 'account';
    case 503:
      // With Retry-After the server refused the request on purpose. Without it, a proxy may have lost its server during
      // the request.
      return hasRetryAfter ? 'throttled' : 'in-doubt';
    default:
      if (status >= 500) return 'in-doubt';
      // A redirect is not followed: the text and the token go only to the configured address.
      return status < 400 ? 'account' : 'refused';
  }
}
