import { Ajv, type ErrorObject, type Options } from 'ajv';
import addFormats from 'ajv-formats';
import type { FastifyInstance, FastifySchema } from 'fastify';
import type { FieldFault } from '../../http/problem.js';

/** Later years have no ISO 8601 form of four digits. */
const YEAR_MAX = 9_999;

// Verbose: an error has its schema, whose example says more to a person than a pattern.
const OPTIONS: Options = { allErrors: true, useDefaults: true, strict: false, verbose: true };
// They keep what they have compiled: schemas are the same for all gateways of a process.
const BODIES = withFormats(new Ajv(OPTIONS));
const TEXTS = withFormats(new Ajv({ ...OPTIONS, coerceTypes: 'array' }));

/**
 * Checks requests by their JSON Schemas. Fields that a schema does not name are faults. Only what comes as text in any
 * case is converted: queries and parameters.
 */
export function checkBySchemas(api: FastifyInstance): void {
  api.setValidatorCompiler<FastifySchema>(({ schema, httpPart }) =>
    (httpPart === 'body' ? BODIES : TEXTS).compile(schema),
  );
}

function withFormats(ajv: Ajv): Ajv {
  // The package is CommonJS, and its types describe the default export as it is for a bundler.
  const { formats } = (addFormats as unknown as (ajv: Ajv) => Ajv)(ajv);
  const isWritten = formats['date-time'] as { readonly validate: (text: string) => boolean };
  return ajv.addFormat('date-time', (text) => isWritten.validate(text) && isMoment(text));
}

/** The package also takes 23:59:60, a zone of hours alone and the year 0, which `Date` or PostgreSQL does not have. */
function isMoment(text: string): boolean {
  const year = new Date(text).getUTCFullYear();
  return year >= 1 && year <= YEAR_MAX;
}

/** The faults of fields that a schema has found, in words. */
export function faultsOf(errors: readonly ErrorObject[]): FieldFault[] {
  // A field that may be null has a fault more for null, and one for the choice: neither says more than the first.
  const isNullFault = ({ keyword, params }: ErrorObject) => keyword === 'type' && params.type === 'null';
  const nullable = new Set(errors.filter(isNullFault).map(({ instancePath }) => instancePath));
  const telling = errors.filter((error) => error.keyword !== 'anyOf' && !isNullFault(error));
  return telling.map(({ instancePath, keyword, params, message, parentSchema }) => {
    const place = instancePath.slice(1).replaceAll('/', '.');
    const within = (name: unknown) => [place, String(name)].filter(Boolean).join('.');
    if (keyword === 'additionalProperties') {
      const field = within(params.additionalProperty);
      return { field, code: 'unknown_field', detail: `Unknown field \`${field}\`.` };
    }
    if (keyword === 'required') {
      const field = within(params.missingProperty);
      return { field, code: 'invalid_request', detail: `${field} is required.` };
    }
    const wanted =
      keyword === 'enum'
        ? `must be one of: ${(params.allowedValues as unknown[]).join(', ')}`
        : (written(keyword, parentSchema) ?? message ?? 'is wrong');
    const orNull = nullable.has(instancePath) ? ', or null' : '';
    return { field: place, code: 'invalid_request', detail: `${place || 'The body'} ${wanted}${orNull}.` };
  });
}

function written(keyword: string, schema: ErrorObject['parentSchema']): string | undefined {
  const [example] = (schema?.examples ?? []) as readonly unknown[];
  return ['pattern', 'format'].includes(keyword) && example !== undefined
    ? `must be written like ${example}`
    : undefined;
}
