import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { malformedJson, readLargeJson, refuseStructure } from './json-limits.js';
import type { LargeRequest } from './large-bodies.js';
import type { CountedRequest } from './limit-free-requests.js';
import { Problem } from './problem.js';
import { repeatedName } from './repeated-names.js';

/** Characters of a name that an answer repeats. */
const NAME_LENGTH_MAX = 64;

/** What a request has in place of a body, if it says of which type its body is, and has none. */
export const EMPTY_BODY = Symbol('empty body');

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/**
 * Makes JSON in UTF-8 the only body that is read (RFC 8259 section 8.1). Bytes that are not UTF-8 are refused, because
 * replacing them would change a text before it is billed. Names such as `__proto__` are ordinary fields, because no
 * code copies a body as a whole.
 *
 * @param valuesMax how many values a large body may have
 */
export function readJsonBodies(fastify: FastifyInstance, valuesMax: number): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: CountedRequest & LargeRequest, body: Buffer) => {
      request.bodyBytes = body.length;
      if (body.length === 0) return EMPTY_BODY;
      try {
        const json = readable(request, body);
        if (request.largeTurn !== undefined) {
          await request.largeTurn();
          return await readLargeJson(request, json, valuesMax, parsed);
        }
        refuseStructure(request, json, valuesMax);
        return parsed(json.toString());
      } catch (fault) {
        return fault;
      }
    },
  );
  // Fastify ends the connection if a parser fails. This body was read to its end, so the next request can follow.
  fastify.addHook('preValidation', ({ body }, _reply, done) => done(body instanceof Error ? body : undefined));
}

/** The bytes of the JSON, without a byte order mark, which RFC 8259 section 8.1 allows to ignore. */
function readable({ headers }: FastifyRequest, body: Buffer): Buffer {
  const coding = headers['content-encoding']?.toLowerCase();
  if (coding !== undefined && coding !== 'identity') {
    throw new Problem('unsupported_media_type', 'Send the body without a Content-Encoding.');
  }
  if (!isUtf8(body)) throw new Problem('malformed_json', 'The body is not UTF-8.');
  return body[0] === BYTE_ORDER_MARK[0] && body.subarray(0, 3).equals(BYTE_ORDER_MARK) ? body.subarray(3) : body;
}

/** The value of a text. A text in which an object has a name twice is refused, because its meaning is not certain. */
function parsed(json: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw malformedJson();
  }
  const repeated = repeatedName(json);
  if (repeated === undefined) return value;
  throw new Problem('malformed_json', `The body has \`${repeated.slice(0, NAME_LENGTH_MAX)}\` twice in one object.`);
}
