import type { FastifyRequest } from 'fastify';
import type { Config } from '#config';
import { faultOfStructure } from './json-structure.js';
import { type LargeJsonFault, parseInSlices } from './large-json.js';
import { SEND_BODY_BYTES_MAX, takesBatches } from './limits.js';
import { Problem } from './problem.js';
import { Slices } from './slices.js';

/**
 * An entry of a batch has three commas and brackets; this leaves room for fields that do not belong there, to be named.
 */
const ENTRY_VALUES_MAX = 16;
/** A body up to this size is parsed in less than a millisecond, however deep it is. */
const SHALLOW_BYTES = 8 * 1024;
/** A body up to this size is parsed in a moment, whatever else it contains. */
const UNCOUNTED_BYTES = 64 * 1024;

/** The values that a body of a client may have: as many as the largest batch. */
export function bodyValuesMax(config: Config): number {
  return config.BATCH_MESSAGES_MAX * ENTRY_VALUES_MAX;
}

/** @throws Problem for a body that would take long to parse */
export function refuseStructure(request: FastifyRequest, body: Buffer, valuesMax: number): void {
  if (body.length <= SHALLOW_BYTES) return;
  const fault = faultOfStructure(body, body.length > UNCOUNTED_BYTES ? valuesMax : Number.POSITIVE_INFINITY);
  if (fault !== undefined) throw refusalOf(fault, request, valuesMax);
}

/**
 * The value of a large body, parsed in slices.
 *
 * @param parse parses a text as JSON.parse does, and throws where it is none
 */
export async function readLargeJson(
  request: FastifyRequest,
  body: Buffer,
  valuesMax: number,
  parse: (json: string) => unknown,
): Promise<object> {
  const limits = { valuesMax, entryBytesMax: SEND_BODY_BYTES_MAX, stepBytes: UNCOUNTED_BYTES };
  const value = await parseInSlices(body, limits, parse, new Slices());
  if (typeof value === 'string') throw refusalOf(value, request, valuesMax);
  return value;
}

export function malformedJson(): Problem {
  return new Problem('malformed_json', 'The body is not valid JSON.');
}

function refusalOf(fault: LargeJsonFault, { routeOptions }: FastifyRequest, valuesMax: number): Problem {
  switch (fault) {
    case 'too_many_values': {
      const detail = `The body has more than ${valuesMax} values`;
      if (!takesBatches(routeOptions.url)) return new Problem('invalid_request', `${detail}.`);
      return new Problem('batch_too_large', `${detail}: more than the largest batch has.`);
    }
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
