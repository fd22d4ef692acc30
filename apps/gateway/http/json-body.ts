import { isUtf8 } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '#config';
import { hasValuesAtMost } from './json-structure.js';
import type { LargeRequest } from './large-bodies.js';
import type { CountedRequest } from './limit-free-requests.js';
import { takesBatches } from './limits.js';
import { Problem } from './problem.js';
import { repeatedName } from './repeated-names.js';

/** Characters of a name that an answer repeats. */
const NAME_LENGTH_MAX = 64;

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An entry of a batch has three commas and brackets; this leaves room for fields that do not belong there, to be named. */
const ENTRY_VALUES_MAX = 16;
/** Whatever is in as little as this is parsed in a moment. */
const UNCOUNTED_BYTES = 64 * 1024;
/** As much is decoded in about a millisecond. */
const DECODED_BYTES = 256 * 1024;
const BYTE_ORDER_MARK = /^\ufeff/;

/**
 * Makes JSON in UTF-8 the only body that is read (RFC 8259 section 8.1). Bytes that are not UTF-8 are refused: replacing
 * them would change a text before it is billed. Names such as `__proto__` are fields like any other, because nothing
 * copies a body as a whole.
 */
export function readJsonBodies(fastify: FastifyInstance, config: Config): void {
  const valuesMax = config.BATCH_MESSAGES_MAX * ENTRY_VALUES_MAX;
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request: CountedRequest & LargeRequest, body: Buffer, done) => {
      request.bodyBytes = body.length;
      const check = () => {
        refuseCoding(request.headers['content-encoding']);
        if (body.length > UNCOUNTED_BYTES && !hasValuesAtMost(body, valuesMax)) throw tooManyValues(request, valuesMax);
        refuseOtherThanUtf8(body);
      };
      if (request.largeTurn !== undefined) {
        request
          .largeTurn()
          .then(check)
          .then(() => readLargeJson(body))
          .then((value) => done(null, value), done);
        return;
      }
      let value: unknown;
      try {
        check();
        value = readJson(body);
      } catch (error) {
        done(error as Error);
        return;
      }
      done(null, value);
    },
  );
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
  if (body.length === 0) throw new Problem('malformed_json', 'The body is empty.');
  if (!isUtf8(body)) throw new Problem('malformed_json', 'The body is not UTF-8.');
}

function readJson(body: Buffer): unknown {
  const json = body.toString().replace(BYTE_ORDER_MARK, '');
  const value = parsed(json);
  refuseRepeatedNames(json);
  return value;
}

/** The same with a pause after each step, so that others are served meanwhile: four megabytes take 20 ms to decode and 10 to parse. */
async function readLargeJson(body: Buffer): Promise<unknown> {
  const decoder = new StringDecoder('utf8');
  let json = '';
  for (let start = 0; start < body.length; start += DECODED_BYTES) {
    json += decoder.write(body.subarray(start, start + DECODED_BYTES));
    await nextTurnOfLoop();
  }
  json = json.replace(BYTE_ORDER_MARK, '');
  const value = parsed(json);
  await nextTurnOfLoop();
  refuseRepeatedNames(json);
  return value;
}

function refuseRepeatedNames(json: string): void {
  const repeated = repeatedName(json);
  if (repeated === undefined) return;
  throw new Problem('malformed_json', `The body has \`${repeated.slice(0, NAME_LENGTH_MAX)}\` twice in one object.`);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new Problem('malformed_json', 'The body is not valid JSON.');
  }
}
