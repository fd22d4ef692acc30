import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiHeader, ApiOperation, ApiResponse, ApiSecurity, getSchemaPath } from '@nestjs/swagger';
import type { KeyScope } from '#persistence';
import { type EndpointKind, errorAnswers } from './error-answers.js';
import { HEADERS } from './header-docs.js';

interface Answers {
  readonly summary: string;
  readonly description: string;
  readonly status: 200 | 201;
  readonly success: string;
  readonly type?: Type;
  readonly oneOf?: readonly Type[];
  /** Types of an answer that is a text of lines. */
  readonly media?: readonly string[];
  readonly kind: EndpointKind;
  /** What a key needs; by default what other endpoints of this kind need. */
  readonly scope?: KeyScope;
}

const SCOPES: Readonly<Record<EndpointKind, KeyScope>> = {
  send: 'send',
  batch: 'send',
  quote: 'send',
  read: 'read',
  item: 'read',
  list: 'read',
  statement: 'read',
  find: 'read',
  cancel: 'send',
  keyCreate: 'manage',
  keyRename: 'manage',
  keyRevoke: 'manage',
  keyRotate: 'manage',
  webhookCreate: 'manage',
  webhookChange: 'manage',
  webhookDelete: 'manage',
  webhookRotate: 'manage',
  webhookSend: 'manage',
  webhookList: 'manage',
  testBalance: 'manage',
  balanceAlert: 'manage',
  retention: 'manage',
  redactNumber: 'manage',
  redactMessage: 'manage',
  suppressionList: 'read',
  suppressionAdd: 'send',
  suppressionRemove: 'manage',
  consoleToken: 'read',
  consoleTokenEnd: 'read',
};

/**
 * Status, scope and documentation of an endpoint: its answer, and every error code with which it can refuse. A request
 * whose key lacks the scope is refused before its body is read.
 */
export function ApiAnswers({ status, success, type, oneOf, media, kind, ...answers }: Answers): MethodDecorator {
  const isCharged = kind === 'send' || kind === 'batch';
  const { summary, scope = SCOPES[kind] } = answers;
  const description = `${answers.description}\n\nNeeds a key with the scope \`${scope}\`.`;
  return applyDecorators(
    HttpCode(status),
    RouteConfig({ scope }),
    ApiOperation({ summary, description }),
    ApiSecurity('api-key'),
    ApiHeader({
      name: 'X-Request-Id',
      required: false,
      description:
        'Your name for the request: up to 128 letters, digits, dots, dashes and underscores. The answer repeats it, and ' +
        'the logs of the service have it.',
      schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
    }),
    ...(isCharged ? [ApiIdempotencyKey()] : []),
    ApiResponse({
      status,
      description: success,
      headers: { ...HEADERS.everywhere, ...(isCharged && HEADERS.replay) },
      ...(type && { type }),
      ...(media && { content: Object.fromEntries(media.map((name) => [name, LINES])) }),
      ...(oneOf && { schema: { oneOf: oneOf.map((shape) => ({ $ref: getSchemaPath(shape) })) } }),
    }),
    ...errorAnswers(kind).map((answer) => ApiResponse(answer)),
  );
}

const LINES = { schema: { type: 'string' as const, format: 'binary' } };

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
