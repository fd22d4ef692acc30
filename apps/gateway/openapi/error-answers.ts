import type { ApiResponseOptions } from '@nestjs/swagger';
import { ERRORS, type ErrorCode, type FaultCode, problemType } from '../http/error-catalogue.js';
import { HEADERS } from './header-docs.js';
import { PROBLEM_SCHEMA } from './problem-schema.js';

export type EndpointKind =
  | 'send'
  | 'batch'
  | 'quote'
  | 'read'
  | 'item'
  | 'list'
  | 'statement'
  | 'find'
  | 'cancel'
  | 'keyCreate'
  | 'keyRename'
  | 'keyRevoke'
  | 'keyRotate'
  | 'webhookCreate'
  | 'webhookChange'
  | 'webhookDelete'
  | 'webhookRotate'
  | 'webhookSend'
  | 'webhookList'
  | 'testBalance'
  | 'balanceAlert'
  | 'retention'
  | 'redactNumber'
  | 'redactMessage'
  | 'suppressionList'
  | 'suppressionAdd'
  | 'suppressionRemove'
  | 'consoleToken'
  | 'consoleTokenEnd';

const EVERYWHERE: readonly ErrorCode[] = [
  'unknown_field',
  'malformed_request',
  'unauthorized',
  'key_expired',
  'account_suspended',
  'account_closed',
  'network_not_allowed',
  'insufficient_scope',
  'rate_limited',
  'overloaded',
  'internal_error',
  'unavailable',
];
/** Refusals of HTTP itself, before the endpoint is known. */
const OF_HTTP: readonly ErrorCode[] = [
  'not_found',
  'method_not_allowed',
  'request_timeout',
  'expectation_failed',
  'headers_too_large',
];
const OF_BODY: readonly ErrorCode[] = ['invalid_request', 'malformed_json', 'body_too_large', 'unsupported_media_type'];
const OF_MESSAGE: readonly ErrorCode[] = [
  ...OF_BODY,
  'recipient_invalid',
  'message_empty',
  'message_invalid_character',
  'message_too_long',
  'no_rate',
  'no_route',
  'send_at_invalid',
  'price_above_max',
  'too_many_segments',
  'sender_not_allowed',
  'destination_blocked',
];
const OF_BATCH: readonly ErrorCode[] = ['batch_empty', 'batch_too_large'];
const OF_CHARGE: readonly ErrorCode[] = [
  'idempotency_key_invalid',
  'insufficient_balance',
  'reference_used',
  'idempotency_key_reused',
  'recipient_opted_out',
  'spend_limit',
  'velocity_limit',
  'suppressions_unavailable',
];
const OF_KIND: Readonly<Record<EndpointKind, readonly ErrorCode[]>> = {
  read: [],
  item: ['not_found'],
  list: ['invalid_request'],
  statement: ['invalid_request', 'not_found'],
  find: ['invalid_request', 'recipient_invalid'],
  // Of two entries of a batch; earlier messages are none of its business.
  quote: [...OF_MESSAGE, ...OF_BATCH, 'reference_used'],
  send: [...OF_MESSAGE, ...OF_CHARGE],
  batch: [...OF_MESSAGE, ...OF_BATCH, ...OF_CHARGE],
  cancel: [...OF_BODY, 'not_found', 'not_cancelable'],
  keyCreate: [...OF_BODY, 'exceeds_own_key', 'too_many_keys'],
  keyRename: [...OF_BODY, 'not_found'],
  keyRevoke: [...OF_BODY, 'not_found', 'last_manage_key'],
  keyRotate: [...OF_BODY, 'not_found', 'exceeds_own_key', 'key_ended', 'too_many_keys'],
  webhookCreate: [...OF_BODY, 'too_many_webhooks', 'webhooks_unavailable'],
  webhookChange: [...OF_BODY, 'not_found'],
  webhookDelete: [...OF_BODY, 'not_found'],
  webhookRotate: [...OF_BODY, 'not_found', 'webhooks_unavailable'],
  webhookSend: [...OF_BODY, 'not_found', 'webhook_disabled'],
  webhookList: ['invalid_request', 'not_found'],
  testBalance: [...OF_BODY, 'test_key_required'],
  balanceAlert: OF_BODY,
  retention: [...OF_BODY, 'live_key_required'],
  redactNumber: [...OF_BODY, 'recipient_invalid'],
  redactMessage: [...OF_BODY, 'not_found'],
  suppressionList: ['invalid_request', 'recipient_invalid', 'suppressions_unavailable'],
  suppressionAdd: [...OF_BODY, 'recipient_invalid', 'suppressions_unavailable'],
  suppressionRemove: [...OF_BODY, 'recipient_invalid', 'suppressions_unavailable'],
  consoleToken: [...OF_BODY, 'api_key_required'],
  consoleTokenEnd: [...OF_BODY, 'not_found'],
};

/** Every refusal of an endpoint, one entry for each status. */
export function errorAnswers(kind: EndpointKind): ApiResponseOptions[] {
  const codes = [...EVERYWHERE, ...OF_KIND[kind]];
  const statuses = [...new Set(codes.map((code) => ERRORS[code].status))].sort();
  return [
    ...statuses.map((status) =>
      errorAnswer(
        status,
        codes.filter((code) => ERRORS[code].status === status),
      ),
    ),
    errorAnswer('default', OF_HTTP),
  ];
}

function errorAnswer(status: number | 'default', codes: readonly ErrorCode[]): ApiResponseOptions {
  return {
    status,
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].doc}`).join('\n\n'),
    headers: { ...HEADERS.everywhere, ...(typeof status === 'number' && HEADERS.ofStatus[status]) },
    content: {
      'application/problem+json': {
        schema: { $ref: `#/components/schemas/${PROBLEM_SCHEMA}` },
        examples: Object.fromEntries(
          codes.map((code) => [code, { summary: ERRORS[code].title, value: exampleOf(code) }]),
        ),
      },
    },
  };
}

const REQUEST_ID = '019aa5c4-1c2e-7cc3-a1b4-0d9c6f1f6c11';

function exampleOf(code: ErrorCode): Record<string, unknown> {
  const { title, status, doc } = ERRORS[code];
  const fault = (FAULTS as Partial<Record<ErrorCode, { field: string; detail: string }>>)[code];
  return {
    type: problemType(code),
    title,
    status,
    detail: fault?.detail ?? doc.replaceAll('`', ''),
    instance: `/requests/${REQUEST_ID}`,
    success: false,
    code,
    requestId: REQUEST_ID,
    ...(fault && { errors: [{ ...fault, code }] }),
    ...(code === 'rate_limited' && { 'violated-policies': ['messages'] }),
    ...(code === 'spend_limit' && { period: 'day', limit: 10, spent: 9.97, required: 0.075, currency: 'EUR' }),
    ...(code === 'insufficient_scope' && { scope: 'send' }),
    ...(code === 'insufficient_balance' && { balance: 0.05, required: 0.075, currency: 'EUR' }),
  };
}

/** Example faults, for the codes that list faults. Of large bodies only a batch with a large entry has one. */
const FAULTS: Readonly<Record<Exclude<FaultCode, 'body_too_large'>, { field: string; detail: string }>> = {
  invalid_request: { field: 'recipient', detail: 'recipient is required.' },
  unknown_field: { field: 'mesage', detail: 'Unknown field `mesage`; did you mean `message`?' },
  recipient_invalid: { field: 'recipient', detail: 'The recipient is not an international phone number.' },
  message_empty: { field: 'message', detail: 'The message is empty or has nothing but white space.' },
  message_invalid_character: {
    field: 'message',
    detail: 'The message has U+0000, a control character, at position 4; it cannot be sent.',
  },
  message_too_long: { field: 'message', detail: 'The message has 39,016 characters in 256 segments.' },
  send_at_invalid: { field: 'sendAt', detail: 'sendAt has passed.' },
  batch_empty: { field: 'messages', detail: 'messages must have at least one entry.' },
  batch_too_large: { field: 'messages', detail: 'messages has 1001 entries; at most 1000 are allowed.' },
  idempotency_key_invalid: {
    field: 'Idempotency-Key',
    detail: 'Idempotency-Key must be 1 to 255 printable ASCII characters, in one line.',
  },
  exceeds_own_key: { field: 'scopes', detail: 'scopes has more than the key of this request.' },
  reference_used: { field: 'reference', detail: 'An earlier message has the reference `order-4711`.' },
  no_rate: { field: 'recipient', detail: "The account's tariff has no price for this destination." },
  no_route: { field: 'recipient', detail: 'No carrier of this service takes messages to this destination.' },
  price_above_max: { field: 'maxPrice', detail: 'The message costs 0.15, more than the maxPrice of 0.1.' },
  too_many_segments: { field: 'maxSegments', detail: 'The message has 2 segments, more than the maxSegments of 1.' },
  sender_not_allowed: {
    field: 'sender',
    detail: 'The operator has not allowed this account to use this sender.',
  },
  destination_blocked: {
    field: 'recipient',
    detail: 'The guards of this account do not allow messages to the country of this number.',
  },
  recipient_opted_out: { field: 'recipient', detail: 'The number is on the suppression list of this account.' },
  velocity_limit: {
    field: 'recipient',
    detail:
      'The account has sent as many messages to this number, or to numbers like it, as its guards allow in an hour.',
  },
};
