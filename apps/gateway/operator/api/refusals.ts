import { ERRORS } from '../../http/error-catalogue.js';
import { OPERATOR_ERRORS } from '../../http/operator-errors.js';
import { Problem, type ProblemCode } from '../../http/problem.js';
import { accessOf } from './access.js';
import type { Endpoint } from './endpoint.js';

export const ALL_ERRORS = { ...ERRORS, ...OPERATOR_ERRORS };

const REQUEST_ID = '019aa5c4-1c2e-7cc3-a1b4-0d9c6f1f6c11';
/** Any request may be refused by these. */
const EVERYWHERE: readonly ProblemCode[] = [
  'malformed_request',
  'unknown_field',
  'request_timeout',
  'expectation_failed',
  'headers_too_large',
  'rate_limited',
  'internal_error',
  'overloaded',
  'unavailable',
];

/** The codes that an endpoint may refuse a request with: what follows from its definition, and its own. */
function refusalsOf(one: Endpoint): readonly ProblemCode[] {
  const { roles, isConfirmed, isPersonal, isFirst } = accessOf(one.useCase);
  const { method, params, query, body, isOpen, isKeyed, refusals = [] } = one;
  const isChange = method !== 'GET';
  const hasFields = params !== undefined || query !== undefined || body !== undefined;
  const isForSome = !roles.includes('viewer') || one.mayUse !== undefined;
  const codes: readonly (readonly [ProblemCode, unknown])[] = [
    ['not_signed_in', !isOpen],
    ['role_missing', !isOpen && isForSome],
    ['person_required', isPersonal],
    ['password_change_required', !isOpen && !isFirst],
    ['confirmation_required', isConfirmed],
    ['cross_site', isChange],
    ['malformed_json', isChange],
    ['body_too_large', isChange],
    ['unsupported_media_type', isChange],
    ['invalid_request', hasFields],
    ['idempotency_key_invalid', isKeyed],
    ['not_found', hasFields],
    ['not_possible', hasFields || isChange],
  ];
  return [...EVERYWHERE, ...codes.flatMap(([code, applies]) => (applies ? [code] : [])), ...refusals];
}

/** The refusals of an endpoint for the OpenAPI document: for each status the name of the answer with these codes. */
export function refusalAnswers(one: Endpoint): Record<string, string> {
  const codes = refusalsOf(one);
  const ofStatus = (status: number) => codes.filter((code) => ALL_ERRORS[code].status === status);
  const statuses = [...new Set(codes.map((code) => ALL_ERRORS[code].status))].sort();
  return Object.fromEntries(statuses.map((status) => [status, ofStatus(status).join('.')]));
}

/** The answers of these names. */
export function namedRefusals(names: Iterable<string>): Record<string, object> {
  return Object.fromEntries([...names].map((name) => [name, refusalAnswer(name.split('.') as ProblemCode[])]));
}

function refusalAnswer(codes: readonly ProblemCode[]): object {
  return {
    description: codes.map((code) => `\`${code}\`: ${ALL_ERRORS[code].title}`).join('; '),
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem', properties: { code: { enum: codes } } },
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

/** An example of each refusal, by its code. */
export function refusalExamples(): Record<string, object> {
  return Object.fromEntries(
    (Object.keys(ALL_ERRORS) as ProblemCode[]).map((code) => {
      const { title, doc } = ALL_ERRORS[code];
      const value: unknown = JSON.parse(new Problem(code, doc.replaceAll('`', '')).json(REQUEST_ID));
      return [code, { summary: title, value }];
    }),
  );
}
