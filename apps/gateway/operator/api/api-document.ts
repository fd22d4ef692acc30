import { VERSION } from '#config';
import { ERRORS } from '../../http/error-catalogue.js';
import { OPERATOR_ERRORS } from '../../http/operator-errors.js';
import { problemSchema } from '../../openapi/problem-schema.js';
import { SESSION_COOKIE } from '../session-cookie.js';
import { accessOf } from './access.js';
import type { Endpoint } from './endpoint.js';

/** The OpenAPI document of the operators' API, made from its endpoints. */
export function apiDocument(endpoints: readonly Endpoint[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const one of endpoints) {
    const path = `/api${one.path.replaceAll(/:(\w+)/g, '{$1}')}`;
    paths[path] = { ...paths[path], [one.method.toLowerCase()]: operationOf(one) };
  }
  const codes = { ...ERRORS, ...OPERATOR_ERRORS };
  const problem = {
    ...problemSchema,
    properties: { ...problemSchema.properties, code: { type: 'string', enum: Object.keys(codes) } },
  };
  return {
    openapi: '3.1.0',
    info: { title: "Heliograph operators' API", version: VERSION },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: { Problem: problem },
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE },
        token: { type: 'http', scheme: 'bearer' },
      },
    },
    'x-errors': codes,
  };
}

function operationOf(one: Endpoint): object {
  const { roles, isConfirmed = false, isPersonal = false } = accessOf(one.useCase);
  const status = one.status ?? 200;
  return {
    operationId: one.useCase,
    tags: [one.useCase.split('.')[0]],
    summary: one.summary,
    ...(one.description !== undefined && { description: one.description }),
    'x-roles': roles,
    'x-confirmed': isConfirmed,
    'x-personal': isPersonal,
    security: one.isOpen ? [] : [{ session: [] }, ...(isPersonal ? [] : [{ token: [] }])],
    parameters: [...parametersOf(one.params, 'path'), ...parametersOf(one.query, 'query')],
    ...(one.body && { requestBody: { required: true, content: { 'application/json': { schema: one.body } } } }),
    responses: {
      [status]: {
        description: one.summary,
        ...(one.answer && { content: { 'application/json': { schema: one.answer } } }),
      },
      default: {
        description: 'A refusal; switch on `code`',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  };
}

function parametersOf(schema: Endpoint['params'], place: 'path' | 'query'): object[] {
  return Object.entries(schema?.properties ?? {}).map(([name, field]) => ({
    name,
    in: place,
    required: place === 'path' || schema?.required?.includes(name) === true,
    schema: field,
    ...(field.description !== undefined && { description: field.description }),
  }));
}
