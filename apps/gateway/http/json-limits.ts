import type { FastifyRequest } from 'fastify';
import type { Config } from '#config';
import { faultOfStructure } from './json-structure.js';
import { type LargeJsonFault, PartsTooLarge, parseInSlices } from './large-json.js';
import { SEND_BODY_BYTES_MAX, takesBatches } from './limits.js';
import { type FieldFault, Problem, problemOf } from './problem.js';
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
  if (value instanceof PartsTooLarge) throw tooLarge(value);
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
    case 'no_object':
      return new Problem('invalid_request', 'The body must be a JSON object.');
    case 'malformed':
      return malformedJson();
  }
}

/** Names the entries of a batch, so that the client can take them out and send the rest. */
function tooLarge({ entries }: PartsTooLarge): Problem {
  const limit = `${SEND_BODY_BYTES_MAX / 1_024} KiB, the most that the body of a single send may have`;
  const faults = entries
    .filter(({ array }) => array === 'messages')
    .map(({ array, position }): FieldFault => {
      const detail = `The entry has more than ${limit}.`;
      return { field: array, arrayPosition: position, code: 'body_too_large', detail };
    });
  return faults.length > 0
    ? problemOf(faults)
    : new Problem('body_too_large', `What is beside the messages of the batch has more than ${limit}.`);
}
