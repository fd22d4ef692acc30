import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiSecurity, getSchemaPath } from '@nestjs/swagger';
import { ERRORS, type ErrorCode } from '../http/error-catalogue.js';
import { PROBLEM_SCHEMA } from './problem-schema.js';

type EndpointKind = 'send' | 'quote' | 'read' | 'list';

const EVERYWHERE: readonly ErrorCode[] = ['unauthorized', 'account_suspended', 'internal_error', 'unavailable'];
const OF_BODY: readonly ErrorCode[] = [
  'invalid_request',
  'malformed_json',
  'recipient_invalid',
  'message_empty',
  'message_invalid_character',
  'message_too_long',
  'batch_empty',
  'batch_too_large',
  'body_too_large',
  'unsupported_media_type',
  'no_rate',
];
const OF_KIND: Readonly<Record<EndpointKind, readonly ErrorCode[]>> = {
  read: [],
  list: ['invalid_request'],
  quote: OF_BODY,
  send: [
    ...OF_BODY,
    'idempotency_key_invalid',
    'insufficient_balance',
    'idempotency_key_reused',
    'rate_limited',
    'overloaded',
  ],
};

interface Answers {
  readonly summary: string;
  readonly status: 200 | 201;
  readonly type?: Type;
  readonly oneOf?: readonly Type[];
  readonly kind: EndpointKind;
}

/** Status and documentation of an endpoint: what it answers, and every error code it can refuse with. */
export function ApiAnswers({ summary, status, type, oneOf, kind }: Answers): MethodDecorator {
  const codes = [...EVERYWHERE, ...OF_KIND[kind]];
  const statuses = [...new Set(codes.map((code) => ERRORS[code].status))].sort();
  return applyDecorators(
    HttpCode(status),
    ApiOperation({ summary }),
    ApiSecurity('api-key'),
    ApiResponse({
      status,
      description: 'Success',
      ...(type && { type }),
      ...(oneOf && { schema: { oneOf: oneOf.map((shape) => ({ $ref: getSchemaPath(shape) })) } }),
    }),
    ...statuses.map((errorStatus) => errorResponse(errorStatus, codes)),
  );
}

/** The optional header of both sends. */
export function ApiIdempotencyKey(): MethodDecorator {
  return ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description:
      '1 to 255 printable ASCII characters. A repeat with the same payload answers as the first did, with ' +
      '`Idempotent-Replayed: true`, and charges nothing.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  });
}

function errorResponse(status: number, codes: readonly ErrorCode[]): MethodDecorator & ClassDecorator {
  const own = codes.filter((code) => ERRORS[code].status === status);
  return ApiResponse({
    status,
    description: own.map((code) => `\`${code}\`: ${ERRORS[code].doc}`).join('\n\n'),
    content: {
      'application/problem+json': {
        schema: { $ref: `#/components/schemas/${PROBLEM_SCHEMA}` },
        examples: Object.fromEntries(own.map((code) => [code, { value: exampleOf(code) }])),
      },
    },
  });
}

function exampleOf(code: ErrorCode): Record<string, unknown> {
  const { title, status, doc } = ERRORS[code];
  const requestId = '019aa5c4-1c2e-7cc3-a1b4-0d9c6f1f6c11';
  return {
    type: `/docs/errors#${code}`,
    title,
    status,
    detail: doc,
    instance: `/requests/${requestId}`,
    success: false,
    code,
    requestId,
    ...(code === 'insufficient_balance' && { balance: 0.05, required: 0.075, currency: 'EUR' }),
  };
}
