import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiSecurity, getSchemaPath } from '@nestjs/swagger';
import { type EndpointKind, errorAnswers } from './error-answers.js';
import { HEADERS } from './header-docs.js';

interface Answers {
  readonly summary: string;
  readonly description: string;
  readonly status: 200 | 201;
  readonly success: string;
  readonly type?: Type;
  readonly oneOf?: readonly Type[];
  readonly kind: EndpointKind;
}

/** Status and documentation of an endpoint: its answer, and every error code with which it can refuse. */
export function ApiAnswers({ summary, description, status, success, type, oneOf, kind }: Answers): MethodDecorator {
  const isCharged = kind === 'send' || kind === 'batch';
  return applyDecorators(
    HttpCode(status),
    ApiOperation({ summary, description }),
    ApiSecurity('api-key'),
    ApiHeader({
      name: 'X-Request-Id',
      required: false,
      description: 'Up to 128 letters, digits, dots, dashes and underscores; comes back and stands in the logs.',
      schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
    }),
    ...(isCharged ? [ApiIdempotencyKey()] : []),
    ApiResponse({
      status,
      description: success,
      headers: { ...HEADERS.everywhere, ...(isCharged && HEADERS.replay) },
      ...(type && { type }),
      ...(oneOf && { schema: { oneOf: oneOf.map((shape) => ({ $ref: getSchemaPath(shape) })) } }),
    }),
    ...errorAnswers(kind).map((answer) => ApiResponse(answer)),
  );
}

/** The optional header of both sends. */
function ApiIdempotencyKey(): MethodDecorator {
  return ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description:
      '1 to 255 printable ASCII characters. A repeat with the same payload answers as the first did, with ' +
      '`Idempotent-Replayed: true`, and charges nothing; another payload is refused. Only successes are kept.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]{1,255}$' },
  });
}
