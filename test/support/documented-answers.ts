import { expect } from '@jest/globals';
import type { HttpReply } from './http-client.js';
import { type Document, OpenApiSchemas } from './openapi.js';

const WORTH_KNOWING = [
  'x-request-id',
  'retry-after',
  'ratelimit',
  'ratelimit-policy',
  'www-authenticate',
  'idempotent-replayed',
];

/** The codes that gateway/openapi-send-options.spec.ts meets. */
export const CODES_OF_SENDS_WITH_OPTIONS = [
  'send_at_invalid',
  'price_above_max',
  'too_many_segments',
  'sender_not_allowed',
  'not_cancelable',
];

/** The codes that gateway/suppressions.spec.ts meets. */
export const CODES_OF_GUARDS = [
  'destination_blocked',
  'spend_limit',
  'velocity_limit',
  'recipient_opted_out',
  'suppressions_unavailable',
];

/** Holds real replies against what the document says of their endpoints and status. */
export class DocumentedAnswers {
  /** The codes that were expected and came. */
  readonly met = new Set<string>();
  private readonly schemas: OpenApiSchemas;

  constructor(private readonly document: Document) {
    this.schemas = new OpenApiSchemas(document);
  }

  expect(method: string, path: string, reply: HttpReply, code?: string): void {
    const operation = this.document.paths[path]?.[method];
    const status = operation?.responses[reply.status] === undefined ? 'default' : String(reply.status);
    const answer = operation?.responses[status];
    const contentType = reply.headers['content-type']?.split(';')[0] ?? '';
    expect([...Object.keys(answer?.content ?? {})]).toEqual([contentType]);
    const place = ['paths', path, method, 'responses', status, 'content', contentType, 'schema'];
    this.schemas.expectNamed(place, reply.json);
    const documented = Object.keys(answer?.headers ?? {}).map((name) => name.toLowerCase());
    const worthKnowing = WORTH_KNOWING.filter((name) => reply.headers[name] !== undefined);
    expect(documented).toEqual(expect.arrayContaining(worthKnowing));
    if (code === undefined) return;
    expect(reply.as<{ code: string }>().code).toBe(code);
    expect(Object.keys(answer?.content[contentType]?.examples ?? {})).toContain(code);
    this.met.add(code);
  }
}
