import { VERSION } from '#config';
import { problemSchema } from '../../openapi/problem-schema.js';
import { SESSION_COOKIE } from '../session-cookie.js';
import { accessOf } from './access.js';
import type { Endpoint } from './endpoint.js';
import { exampleAnswer, exampleBody } from './examples.js';
import { ALL_ERRORS, namedRefusals, refusalAnswers, refusalExamples } from './refusals.js';

/** The OpenAPI document of the operators' API, made from its endpoints. */
export function apiDocument(endpoints: readonly Endpoint[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const one of endpoints) {
    const path = `/api${one.path.replaceAll(/:(\w+)/g, '{$1}')}`;
    paths[path] = { ...paths[path], [one.method.toLowerCase()]: operationOf(one) };
  }
  const problem = {
    ...problemSchema,
    properties: { ...problemSchema.properties, code: { type: 'string', enum: Object.keys(ALL_ERRORS) } },
  };
  return {
    openapi: '3.1.0',
    info: { title: "Heliograph operators' API", version: VERSION },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: { Problem: problem },
      responses: namedRefusals(new Set(endpoints.flatMap((one) => Object.values(refusalAnswers(one))))),
      examples: refusalExamples(),
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE },
        token: { type: 'http', scheme: 'bearer' },
      },
    },
    'x-errors': ALL_ERRORS,
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
    ...(one.body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: one.body, example: exampleBody(one.body) } },
      },
    }),
    responses: {
      [status]: { description: one.summary, ...contentOf(one) },
      ...Object.fromEntries(
        Object.entries(refusalAnswers(one)).map(([code, name]) => [code, { $ref: `#/components/responses/${name}` }]),
      ),
    },
  };
}

function contentOf({ answer, media }: Endpoint): object {
  if (media !== undefined) return { content: { [media]: { schema: { type: 'string' } } } };
  if (answer === undefined) return {};
  return { content: { 'application/json': { schema: answer, example: exampleAnswer(answer) } } };
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
