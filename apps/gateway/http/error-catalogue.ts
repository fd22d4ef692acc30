/**
 * Every error code of the API, with its status, its title, and the line that documents it. A code that is not here does
 * not compile. The documentation page and the OpenAPI document are made from this table. Codes are stable: clients
 * switch on them.
 */
export const ERRORS = {
  invalid_request: {
    status: 400,
    title: 'Invalid request',
    doc: 'A field is missing, has the wrong type, or several rules are broken; `errors` names each.',
  },
  malformed_request: {
    status: 400,
    title: 'Malformed request',
    doc: 'The bytes are not a valid HTTP request: a malformed URL, header or length.',
  },
  malformed_json: {
    status: 400,
    title: 'Malformed JSON',
    doc: 'The body is not valid JSON in UTF-8, or an object of it has one name twice.',
  },
  unknown_field: {
    status: 400,
    title: 'Unknown field',
    doc: 'A field of the body or a query parameter is not one of this endpoint. It is refused rather than ignored: a field that is ignored is money spent on a wrong expectation.',
  },
  recipient_invalid: {
    status: 400,
    title: 'Invalid recipient',
    doc: 'A recipient is not an international phone number of 7 to 15 digits.',
  },
  message_empty: { status: 400, title: 'Empty message', doc: 'A message is empty or has nothing but white space.' },
  message_invalid_character: {
    status: 400,
    title: 'Invalid character',
    doc: 'A message has half of a surrogate pair or a control character other than CR and LF.',
  },
  message_too_long: {
    status: 400,
    title: 'Message too long',
    doc: 'A message has more than 255 segments: 39,015 standard characters, or 16,065 UTF-16 units in the extended set.',
  },
  send_at_invalid: {
    status: 400,
    title: 'Invalid time',
    doc: 'A `sendAt` has passed, or is more than 30 days ahead.',
  },
  batch_empty: { status: 400, title: 'Empty batch', doc: 'A batch has no entries.' },
  batch_too_large: { status: 400, title: 'Batch too large', doc: 'A batch has more entries than are allowed.' },
  idempotency_key_invalid: {
    status: 400,
    title: 'Invalid idempotency key',
    doc: 'The Idempotency-Key header is not 1 to 255 printable ASCII characters, or is sent in several lines.',
  },
  unauthorized: {
    status: 401,
    title: 'Unauthorized',
    doc: 'The X-Authorization header is missing, or its key is unknown or revoked.',
  },
  key_expired: {
    status: 401,
    title: 'Key expired',
    doc: 'The key of the X-Authorization header was valid, and has expired.',
  },
  insufficient_balance: {
    status: 402,
    title: 'Insufficient balance',
    doc: 'The balance does not cover the price; `balance`, `required` and `currency` say by how much. Nothing is charged.',
  },
  account_suspended: { status: 403, title: 'Account suspended', doc: 'The operator has suspended the account.' },
  account_closed: { status: 403, title: 'Account closed', doc: 'The operator has closed the account, for good.' },
  spend_limit: {
    status: 403,
    title: 'Spend limit',
    doc: 'The account would spend more in a day or in a month (UTC) than its guards allow; `period`, `limit`, `spent`, `required` and `currency` say by how much. Nothing is charged. More money does not help; the operator can raise the limit.',
  },
  network_not_allowed: {
    status: 403,
    title: 'Network not allowed',
    doc: 'The key may be used from certain networks only, and the address of the client is in none of them.',
  },
  insufficient_scope: {
    status: 403,
    title: 'Insufficient scope',
    doc: 'The key does not have the scope that this endpoint needs; `scope` names it.',
  },
  exceeds_own_key: {
    status: 403,
    title: 'Exceeds own key',
    doc: 'A key cannot give more than it has: more scopes, other networks, or a longer life; `errors` names each.',
  },
  test_key_required: {
    status: 403,
    title: 'Test key required',
    doc: 'Only a test key (`hg_test_...`) may do this.',
  },
  live_key_required: {
    status: 403,
    title: 'Live key required',
    doc: 'A test key (`hg_test_...`) may not do this: it concerns the account itself, and not only its test messages.',
  },
  api_key_required: {
    status: 403,
    title: 'API key required',
    doc: 'The request has a token of the console; only an API key may do this.',
  },
  signature_invalid: {
    status: 403,
    title: 'Invalid signature',
    doc: "A callback has no signature, or not the one of the carrier's account. Only carriers ever see this.",
  },
  not_found: {
    status: 404,
    title: 'Not found',
    doc: 'There is nothing at this path, or the account has nothing of this id.',
  },
  method_not_allowed: { status: 405, title: 'Method not allowed', doc: 'The path exists, for another method.' },
  request_timeout: { status: 408, title: 'Request timeout', doc: 'The request took too long to arrive.' },
  key_ended: {
    status: 409,
    title: 'Key ended',
    doc: 'A key that is revoked or has expired cannot be rotated. Make a new one.',
  },
  last_manage_key: {
    status: 409,
    title: 'Last manage key',
    doc: 'No other key of the account with the scope `manage` works as long as this one. Make or rotate one before you revoke it, or ask the operator.',
  },
  too_many_keys: { status: 409, title: 'Too many keys', doc: 'The account has as many active keys as are allowed.' },
  too_many_webhooks: {
    status: 409,
    title: 'Too many webhooks',
    doc: 'The account has as many webhooks as are allowed.',
  },
  webhook_disabled: {
    status: 409,
    title: 'Webhook disabled',
    doc: 'Nothing is sent to a webhook that is disabled. Enable it first.',
  },
  reference_used: {
    status: 409,
    title: 'Reference used',
    doc: 'The request asks for a `uniqueReference`, and an earlier message of the account has it, or two entries of the batch have the same. Nothing is charged.',
  },
  not_cancelable: {
    status: 409,
    title: 'Not cancelable',
    doc: 'A carrier has the message, or may have it, or it has ended. Of a batch: this is so of every message.',
  },
  body_too_large: {
    status: 413,
    title: 'Body too large',
    doc: 'The body is over the limit of the endpoint, or one entry of a batch is over that of a single send.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    doc: 'The body is not sent as application/json.',
  },
  expectation_failed: {
    status: 417,
    title: 'Expectation failed',
    doc: 'The Expect header asks for something else than `100-continue`.',
  },
  no_rate: {
    status: 422,
    title: 'No rate',
    doc: "The account's tariff has no price for a destination. Nothing is charged.",
  },
  no_route: {
    status: 422,
    title: 'No route',
    doc: 'The operator has no carrier for a destination. Nothing is stored or charged.',
  },
  price_above_max: {
    status: 422,
    title: 'Price above maximum',
    doc: 'A message costs more than its `maxPrice` (`field` is `maxPrice`), or a segment to its number more than the guards of the account allow (`field` is `recipient`). Nothing is charged.',
  },
  destination_blocked: {
    status: 422,
    title: 'Destination blocked',
    doc: 'The guards of the account do not allow messages to the country of a number. Nothing is charged. Ask the operator.',
  },
  recipient_opted_out: {
    status: 422,
    title: 'Recipient opted out',
    doc: 'A number is on the suppression list of the account. Nothing is charged. Send nothing to it.',
  },
  too_many_segments: {
    status: 422,
    title: 'Too many segments',
    doc: 'A message has more segments than its `maxSegments`. Nothing is charged.',
  },
  sender_not_allowed: {
    status: 422,
    title: 'Sender not allowed',
    doc: 'The operator has not allowed the account to use a `sender`. Nothing is charged.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency key reused',
    doc: 'The key was used before with another payload.',
  },
  velocity_limit: {
    status: 429,
    title: 'Velocity limit',
    doc: 'The account has sent as many messages to a number, or to numbers like it, as its guards allow in an hour. Nothing is charged. `Retry-After` is the end of the hour; a request that has more such messages than an hour allows gets none.',
  },
  rate_limited: {
    status: 429,
    title: 'Rate limited',
    doc:
      'A limit is reached: of the messages that the account may send, of the requests that cost nothing, of exports, of changes (of keys, webhooks, opt-outs and others), or of wrong keys from an address. ' +
      '`Retry-After` and `RateLimit` say when to come back, `violated-policies` which limit it is.',
    type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
  },
  headers_too_large: { status: 431, title: 'Headers too large', doc: 'The headers have more than 16 KiB.' },
  internal_error: {
    status: 500,
    title: 'Internal error',
    doc: 'A fault of the service. Send again with the same Idempotency-Key.',
  },
  overloaded: {
    status: 503,
    title: 'Overloaded',
    doc: 'Too much is waiting. Nothing was charged; come back after `Retry-After` seconds.',
  },
  webhooks_unavailable: {
    status: 503,
    title: 'Webhooks unavailable',
    doc: 'The service has no key to encrypt the secrets of webhooks with. Its operator can set one.',
  },
  suppressions_unavailable: {
    status: 503,
    title: 'Suppression lists unavailable',
    doc: 'The gateway lacks the key that the suppression lists are hashed with. Nothing was changed or charged. Its operator can give it the key.',
  },
  unavailable: {
    status: 503,
    title: 'Unavailable',
    doc: 'The database did not answer in time. Send again with the same Idempotency-Key: it is accepted at most once. Or a text cannot be read now, because the service lacks its key.',
  },
} as const satisfies Record<string, ErrorEntry>;

interface ErrorEntry {
  readonly status: number;
  readonly title: string;
  readonly doc: string;
  /** If a standard has one: draft-ietf-httpapi-ratelimit-headers-11, section 5.1. */
  readonly type?: string;
}

export type ErrorCode = keyof typeof ERRORS;

/** The `type` of the problem: the one of a standard, or the line that documents the code. */
export function problemType(code: ErrorCode): string {
  const { type = `/docs/errors#${code}` }: ErrorEntry = ERRORS[code];
  return type;
}

/** The codes that a single fault in `errors` can have: those that are about a field. */
export const FAULT_CODES = [
  'invalid_request',
  'unknown_field',
  'recipient_invalid',
  'message_empty',
  'message_invalid_character',
  'message_too_long',
  'send_at_invalid',
  'batch_empty',
  'batch_too_large',
  'body_too_large',
  'idempotency_key_invalid',
  'exceeds_own_key',
  'reference_used',
  'no_rate',
  'no_route',
  'price_above_max',
  'too_many_segments',
  'sender_not_allowed',
  'destination_blocked',
  'recipient_opted_out',
  'velocity_limit',
] as const satisfies readonly ErrorCode[];

export type FaultCode = (typeof FAULT_CODES)[number];
