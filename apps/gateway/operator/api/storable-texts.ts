import type { FastifyInstance } from 'fastify';
import { isJsonObject } from '../../http/json-body.js';
import { type FieldFault, problemOf } from '../../http/problem.js';

/** What PostgreSQL has no place for: NUL in a text, and half of a surrogate pair in JSON, as changes are recorded. */
const UNSTORABLE = /\0|\p{Cs}/u;
/** Texts that an answer names; a body may have thousands. */
const FAULTS_MAX = 20;

/** Refuses requests with a text that cannot be stored, whatever the text is. */
export function refuseUnstorableTexts(api: FastifyInstance): void {
  api.addHook('preHandler', ({ params, query, body }, _reply, done) => {
    const fields = [params, query, body].flatMap((part) => [...unstorable(part, '')]).slice(0, FAULTS_MAX);
    done(fields.length === 0 ? undefined : problemOf(fields.map(faultOf)));
  });
}

/** The places of such texts, as `times.0`. */
function* unstorable(value: unknown, place: string): Generator<string> {
  if (typeof value === 'string') {
    if (UNSTORABLE.test(value)) yield place;
  } else if (isJsonObject(value) || Array.isArray(value)) {
    for (const [name, one] of Object.entries(value)) yield* unstorable(one, place === '' ? name : `${place}.${name}`);
  }
}

function faultOf(field: string): FieldFault {
  const detail = `${field} must be a text without NUL and without halves of surrogate pairs.`;
  return { field, code: 'invalid_request', detail };
}
