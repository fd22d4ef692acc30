import { isUtf8 } from 'node:buffer';
import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Config } from '#config';
import { faultOfStructure } from './json-structure.js';
import type { LargeRequest } from './large-bodies.js';
import { type LargeJsonFault, parseInSlices } from './large-json.js';
import type { CountedRequest } from './limit-free-requests.js';
import { SEND_BODY_BYTES_MAX, takesBatches } from './limits.js';
import { Problem } from './problem.js';
import { repeatedName } from './repeated-names.js';
import { Slices } from './slices.js';

/** Characters of a name that an answer repeats. */
const NAME_LENGTH_MAX = 64;

/** What a request has in place of a body, if it says of which type its body is, and has none. */
export const EMPTY_BODY = Symbol('empty body');

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * An entry of a batch has three commas and brackets; this leaves room for fields that do not belong there, to be named.
 */
const ENTRY_VALUES_MAX = 16;
/** A body up to this size is parsed in less than a millisecond, however deep it is. */
const SHALLOW_BYTES = 8 * 1024;
/** A body up to this size is parsed in a moment, whatever else it contains. */
const UNCOUNTED_BYTES = 64 * 1024;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/**
 * Makes JSON in UTF-8 the only body that is read (RFC 8259 section 8.1). Bytes that are not UTF-8 are refused, because
 * replacing them would change a text before it is billed. Names such as `__proto__` are ordinary fields, because no
 * code copies a body as a whole.
 */
export function readJsonBodies(fastify: FastifyInstance, config: Config): void {
  const valuesMax = config.BATCH_MESSAGES_MAX * ENTRY_VALUES_MAX;
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request: CountedRequest & LargeRequest, body: Buffer, done) => {
      request.bodyBytes = body.length;
      if (body.length === 0) {
        done(null, EMPTY_BODY);
        return;
      }
      if (request.largeTurn !== undefined) {
        request
          .largeTurn()
          .then(() => readLargeJson(request, body, valuesMax))
          .then(
            (value) => done(null, value),
            (fault) => done(null, fault),
          );
        return;
      }
      let value: unknown;
      try {
        refuseCoding(request.headers['content-encoding']);
        if (body.length > SHALLOW_BYTES) refuseStructure(request, body, valuesMax);
        refuseOtherThanUtf8(body);
        value = parsed(withoutMark(body).toString());
      } catch (fault) {
        value = fault;
      }
      done(null, value);
    },
  );
  // Some clients name a type of their own where they send nothing: axios, fetch with an empty text, `curl -d ''`. Some
  // proxies send nothing in chunks, without a type.
  fastify.addContentTypeParser('*', ({ headers }, payload, done) => {
    const pass = () => done(null, EMPTY_BODY);
    const refuse = () => {
      payload.off('end', pass);
      done(null, new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE());
    };
    if (Number(headers['content-length'] ?? 0) > 0) refuse();
    else payload.once('end', pass).once('data', refuse);
  });
  // Fastify ends the connection if a parser fails. This body was read to its end, so the next request can follow.
  fastify.addHook('preValidation', ({ body }, _reply, done) => done(body instanceof Error ? body : undefined));
}

async function readLargeJson(request: FastifyRequest, body: Buffer, valuesMax: number): Promise<unknown> {
  refuseCoding(request.headers['content-encoding']);
  refuseOtherThanUtf8(body);
  const limits = { valuesMax, entryBytesMax: SEND_BODY_BYTES_MAX, stepBytes: UNCOUNTED_BYTES };
  const value = await parseInSlices(withoutMark(body), limits, parsed, new Slices());
  if (typeof value === 'string') throw refusalOf(value, request, valuesMax);
  return value;
}

function refuseStructure(request: FastifyRequest, body: Buffer, valuesMax: number): void {
  const fault = faultOfStructure(body, body.length > UNCOUNTED_BYTES ? valuesMax : Number.POSITIVE_INFINITY);
  if (fault !== undefined) throw refusalOf(fault, request, valuesMax);
}

function refusalOf(fault: LargeJsonFault, request: FastifyRequest, valuesMax: number): Problem {
  switch (fault) {
    case 'too_many_values':
      return tooManyValues(request, valuesMax);
    case 'too_deep':
      return new Problem('invalid_request', 'The body has arrays or objects that are nested too deeply.');
    case 'entry_too_large': {
      const limit = `${SEND_BODY_BYTES_MAX / 1_024} KiB, the most that the body of a single send may have`;
      return new Problem(
        'body_too_large',
        `An entry of the body, or what is beside its entries, has more than ${limit}.`,
      );
    }
    case 'no_object':
      return new Problem('invalid_request', 'The body must be a JSON object.');
    case 'malformed':
      return malformedJson();
  }
}

function refuseCoding(coding: string | undefined): void {
  if (coding === undefined || coding === 'identity') return;
  throw new Problem('unsupported_media_type', 'Send the body without a Content-Encoding.');
}

function tooManyValues({ routeOptions }: FastifyRequest, valuesMax: number): Problem {
  const code = takesBatches(routeOptions.url) ? 'batch_too_large' : 'invalid_request';
  return new Problem(code, `The body has more than ${valuesMax} values: more than the largest batch has.`);
}

function refuseOtherThanUtf8(body: Buffer): void {
  if (!isUtf8(body)) throw new Problem('malformed_json', 'The body is not UTF-8.');
}

/** Without a byte order mark, which RFC 8259 section 8.1 allows to ignore. */
function withoutMark(body: Buffer): Buffer {
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

function malformedJson(): Problem {
  return new Problem('malformed_json', 'The body is not valid JSON.');
}
