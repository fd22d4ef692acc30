import { KEY_SCOPES } from '#persistence';
import { ERRORS, FAULT_CODES } from '../http/error-catalogue.js';

export const PROBLEM_SCHEMA = 'Problem';

/** RFC 9457 document of every refusal. */
export const problemSchema = {
  type: 'object' as const,
  required: ['type', 'title', 'status', 'detail', 'instance', 'success', 'code', 'requestId'],
  properties: {
    type: { type: 'string' as const, description: 'Where the code is documented, or the type of a standard.' },
    title: { type: 'string' as const },
    status: { type: 'integer' as const },
    detail: { type: 'string' as const, description: 'A sentence for a person.' },
    instance: { type: 'string' as const },
    success: { type: 'boolean' as const, enum: [false] },
    code: { type: 'string' as const, enum: Object.keys(ERRORS), description: 'Stable; switch on this.' },
    requestId: { type: 'string' as const, description: 'Also in the X-Request-Id header.' },
    errors: {
      type: 'array' as const,
      description:
        'Each fault, where fields or entries are at fault. Of more than 2,000 faults, further entries are named once each.',
      items: {
        type: 'object' as const,
        required: ['field', 'code', 'detail'],
        properties: {
          field: { type: 'string' as const },
          arrayPosition: { type: 'integer' as const, description: 'Zero-based entry of the batch.' },
          code: { type: 'string' as const, enum: [...FAULT_CODES], description: 'Stable; switch on this.' },
          detail: { type: 'string' as const },
        },
      },
    },
    errorsOmitted: { type: 'integer' as const, description: 'How many faults `errors` does not list, when it is cut.' },
    balance: { type: 'number' as const, description: 'With insufficient_balance.' },
    required: {
      type: 'number' as const,
      description: 'With insufficient_balance and spend_limit: the price of the request.',
    },
    currency: { type: 'string' as const, description: 'With insufficient_balance and spend_limit.' },
    period: {
      type: 'string' as const,
      enum: ['day', 'month'],
      description: 'With spend_limit: of which the limit is, by UTC.',
    },
    limit: { type: 'number' as const, description: 'With spend_limit: what the account may spend in the period.' },
    spent: { type: 'number' as const, description: 'With spend_limit: what it has spent in the period.' },
    'violated-policies': {
      type: 'array' as const,
      items: { type: 'string' as const },
      description: 'With rate_limited: the limits, as `RateLimit-Policy` names them.',
    },
    scope: {
      type: 'string' as const,
      enum: [...KEY_SCOPES],
      description: 'With insufficient_scope: the scope that the endpoint needs.',
    },
  },
};
