import type { ValidationError } from 'class-validator';
import type { FaultCode } from './error-catalogue.js';
import type { FieldFault } from './problem.js';

/** The rules that a field breaks, with the entry of the list that it is in. */
export function faultsOf(error: ValidationError, arrayPosition: number | undefined): FieldFault[] {
  return Object.entries(error.constraints ?? {}).map(([rule, detail]) => ({
    field: error.property,
    ...(arrayPosition !== undefined && { arrayPosition }),
    code: codeOf(error, rule),
    detail,
  }));
}

function codeOf(error: ValidationError, rule: string): FaultCode {
  const codes = error.contexts?.[rule] as { code?: FaultCode } | undefined;
  return codes?.code ?? 'invalid_request';
}

/** The fault of an entry of a list that is no object. */
export function noObject(field: string, arrayPosition: number): FieldFault {
  const detail = `Every entry of ${field} must be an object with recipient and message.`;
  return { field, arrayPosition, code: 'invalid_request', detail };
}
