import { expect } from '@jest/globals';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import type { HttpReply } from './http-client.js';

interface Schema {
  type?: string;
  $ref?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  oneOf?: Schema[];
  enum?: string[];
  example?: unknown;
  additionalProperties?: boolean;
}
interface Media {
  schema: Schema;
  examples?: Record<string, { value: unknown }>;
}
interface Answer {
  description: string;
  headers?: Record<string, unknown>;
  content: Record<string, Media>;
}
export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: unknown[];
  parameters: { name: string; in: string; required: boolean; description?: string }[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, Answer>;
}
export interface Document {
  openapi: string;
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, unknown> };
}

/** Judges values by the schemas of an OpenAPI document. */
export class OpenApiSchemas {
  /** By the document as it is, and by one in which every object names all that it has. */
  private readonly lenient: Ajv;
  private readonly strict: Ajv;

  constructor(private readonly document: Document) {
    this.lenient = validatorOf(document);
    this.strict = validatorOf(closed(structuredClone(document)));
  }

  /** Fails unless a value is valid by the schema at a place of the document. */
  expectValid(steps: readonly string[], value: unknown): void {
    expectValid(this.lenient, this.pointer(steps), value);
  }

  /** Fails as well when the value has a field that the schema does not name. */
  expectNamed(steps: readonly string[], value: unknown): void {
    this.expectValid(steps, value);
    expectValid(this.strict, this.pointer(steps), value);
  }

  /** Holds a real reply against what the document says of its endpoint and status; `code`: its refusal. */
  expectDocumented(
    document: Document,
    { method, path }: { readonly method: string; readonly path: string },
    reply: HttpReply,
    code?: string,
  ): void {
    const operation = document.paths[path]?.[method];
    const status = operation?.responses[reply.status] === undefined ? 'default' : String(reply.status);
    const answer = operation?.responses[status];
    const contentType = reply.headers['content-type']?.split(';')[0] ?? '';
    expect([...Object.keys(answer?.content ?? {})]).toEqual([contentType]);
    this.expectNamed(['paths', path, method, 'responses', status, 'content', contentType, 'schema'], reply.json);
    const documented = Object.keys(answer?.headers ?? {}).map((name) => name.toLowerCase());
    expect(documented).toEqual(
      expect.arrayContaining(WORTH_KNOWING.filter((name) => reply.headers[name] !== undefined)),
    );
    if (code === undefined) return;
    expect(reply.as<{ code: string }>().code).toBe(code);
    expect(Object.keys(answer?.content[contentType]?.examples ?? {})).toContain(code);
  }

  /** Where the schema itself stands: a validator is made once for all answers that refer to it. */
  private pointer(steps: readonly string[]): string {
    const place = steps.reduce<unknown>((inner, step) => (inner as Record<string, unknown>)[step], this.document);
    const { $ref } = place as Schema;
    return $ref === undefined ? pointer(steps) : `openapi${$ref}`;
  }
}

/** Headers that a document has to name where they are sent. */
const WORTH_KNOWING = [
  'x-request-id',
  'retry-after',
  'ratelimit',
  'ratelimit-policy',
  'www-authenticate',
  'idempotent-replayed',
];

function validatorOf(described: Document): Ajv {
  const ajv = new Ajv({ strict: false, allErrors: true });
  (addFormats as unknown as (ajv: Ajv) => void)(ajv);
  ajv.addSchema(described, 'openapi');
  return ajv;
}

/** Allows no field that is not named. */
function closed(described: Document): Document {
  for (const schema of Object.values(described.components.schemas)) close(schema);
  return described;
}

function close(schema: Schema): void {
  if (schema.properties !== undefined) schema.additionalProperties = false;
  for (const inner of [...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : [])])
    close(inner);
}

function pointer(steps: readonly string[]): string {
  return `openapi#/${steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
}

function expectValid(ajv: Ajv, at: string, value: unknown): void {
  const validate = ajv.getSchema(at) ?? ajv.compile({ $ref: at });
  const isValid = validate(value);
  expect({ at, isValid, errors: validate.errors ?? [] }).toEqual({ at, isValid: true, errors: [] });
}
