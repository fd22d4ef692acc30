import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { type ValidationError, type ValidatorOptions, validateSync } from 'class-validator';
import type { FaultCode } from './error-catalogue.js';
import { isJsonObject, type JsonObject } from './json-body.js';
import { type FieldFault, Problem, problemOf } from './problem.js';

/** A class that picks its fields from what was sent, and names what it has no field for. */
interface RequestClass {
  readonly name: string;
  from(sent: JsonObject): object;
  unknownNames(sent: JsonObject): readonly FieldFault[];
  /** Set where the use case finds further faults: it gets those of the shape as `faults`, and refuses with all of them. */
  readonly keepsFaults?: boolean;
}

const RULES: ValidatorOptions = { forbidUnknownValues: false, stopAtFirstError: true };

/** Checks the shape of bodies and queries by their classes; what no field is for is a fault like a field that is missing. */
export function validationPipe(): PipeTransform {
  return {
    transform: (value: unknown, { type, metatype }: ArgumentMetadata) => {
      // What a decorator of our own has found is no input.
      if (type === 'custom') return value;
      if (!isRequestClass(metatype)) throw new Error(`${metatype?.name} has no rules to check a ${type} by`);
      if (!isJsonObject(value)) throw new Problem('invalid_request', 'The body must be a JSON object.');
      return checked(value, metatype);
    },
  };
}

function isRequestClass(metatype: unknown): metatype is RequestClass {
  return typeof metatype === 'function' && 'from' in metatype;
}

function checked(sent: JsonObject, shape: RequestClass): object {
  const input = shape.from(sent);
  const errors = validateSync(input, RULES);
  const unknown = shape.unknownNames(sent);
  if (errors.length === 0 && unknown.length === 0) return input;
  const faults = [...unknown, ...errors.flatMap((error) => faultsOf(error))];
  if (shape.keepsFaults) return Object.assign(input, { faults });
  throw problemOf(faults);
}

/** Class-validator reports a tree; clients get a flat list with the entry of the batch that each fault is in. */
function faultsOf(error: ValidationError, arrayPosition?: number): FieldFault[] {
  const own = Object.entries(error.constraints ?? {}).flatMap(([rule, detail]) =>
    rule === 'isObject'
      ? entryFaults(error)
      : [
          {
            field: error.property,
            ...(arrayPosition !== undefined && { arrayPosition }),
            code: codeOf(error, rule),
            detail,
          },
        ],
  );
  const inner = (error.children ?? []).flatMap((child) =>
    (child.children ?? []).flatMap((fieldError) => faultsOf(fieldError, Number(child.property))),
  );
  return [...own, ...inner];
}

/** Class-validator says that some entry is no object, and looks no further; this looks at each. */
function entryFaults({ property, value }: ValidationError): FieldFault[] {
  return (value as unknown[]).flatMap((entry, arrayPosition): FieldFault[] => {
    if (isJsonObject(entry)) return validateSync(entry, RULES).flatMap((error) => faultsOf(error, arrayPosition));
    const detail = `Every entry of ${property} must be an object with recipient and message.`;
    return [{ field: property, arrayPosition, code: 'invalid_request', detail }];
  });
}

function codeOf(error: ValidationError, rule: string): FaultCode {
  const codes = error.contexts?.[rule] as { code?: FaultCode } | undefined;
  return codes?.code ?? 'invalid_request';
}
