import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import type { CountedRequest } from './limit-free-requests.js';
import { Problem } from './problem.js';
import { repeatedName } from './repeated-names.js';

/** Characters of a name that an answer repeats. */
const NAME_LENGTH_MAX = 64;

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Makes JSON in UTF-8 the only body that is read (RFC 8259 section 8.1). Bytes that are not UTF-8 are refused: replacing
 * them would change a text before it is billed. Names such as `__proto__` are fields like any other, because nothing
 * copies a body as a whole.
 */
export function readJsonBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request: CountedRequest, body: Buffer, done) => {
      request.bodyBytes = body.length;
      try {
        done(null, readJson(request.headers['content-encoding'], body));
      } catch (error) {
        done(error as Error);
      }
    },
  );
}

function readJson(coding: string | undefined, body: Buffer): unknown {
  if (coding !== undefined && coding !== 'identity') {
    throw new Problem('unsupported_media_type', 'Send the body without a Content-Encoding.');
  }
  if (body.length === 0) throw new Problem('malformed_json', 'The body is empty.');
  if (!isUtf8(body)) throw new Problem('malformed_json', 'The body is not UTF-8.');
  const json = body.toString().replace(/^\ufeff/, '');
  const value = parsed(json);
  const repeated = repeatedName(json);
  if (repeated === undefined) return value;
  throw new Problem('malformed_json', `The body has \`${repeated.slice(0, NAME_LENGTH_MAX)}\` twice in one object.`);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new Problem('malformed_json', 'The body is not valid JSON.');
  }
}
