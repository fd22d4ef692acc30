import { type ArgumentMetadata, type PipeTransform, ValidationPipe } from '@nestjs/common';
import { type ValidationError, type ValidatorOptions, validateSync } from 'class-validator';
import type { ErrorCode } from './error-catalogue.js';
import { isJsonObject, type JsonObject } from './json-body.js';
import { type FieldFault, Problem, problemOf } from './problem.js';

/** A body's class picks its fields from what was sent; whatever else is there is ignored and never looked into. */
interface BodyClass {
  from(body: JsonObject): object;
  /** Faults of content beside those of shape, so that one answer names every entry that is at fault. */
  contentFaults?(body: object): FieldFault[];
}

const RULES: ValidatorOptions = { forbidUnknownValues: false, stopAtFirstError: true };

/** Checks the shape of bodies and queries by their DTO classes; unknown fields are ignored, as the contract's clients expect. */
export function validationPipe(): PipeTransform {
  const others = new ValidationPipe({
    ...RULES,
    transform: true,
    exceptionFactory: (errors) => problemOf(errors.flatMap((error) => faultsOf(error))),
  });
  return {
    transform: (value: unknown, metadata: ArgumentMetadata) => {
      if (isBodyClass(metadata)) return readBody(value, metadata.metatype);
      // What a decorator of our own has found is no input.
      return metadata.type === 'custom' ? value : others.transform(value, metadata);
    },
  };
}

function isBodyClass(
  metadata: ArgumentMetadata,
): metadata is ArgumentMetadata & { metatype: BodyClass & (new () => object) } {
  return metadata.type === 'body' && metadata.metatype !== undefined && 'from' in metadata.metatype;
}

function readBody(value: unknown, shape: BodyClass): object {
  if (!isJsonObject(value)) throw new Problem('invalid_request', 'The body must be a JSON object.');
  const body = shape.from(value);
  const errors = validateSync(body, RULES);
  if (errors.length === 0) return body;
  const faults = [...errors.flatMap((error) => faultsOf(error)), ...(shape.contentFaults?.(body) ?? [])];
  throw problemOf(faults.sort((a, b) => (a.arrayPosition ?? -1) - (b.arrayPosition ?? -1)));
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

function codeOf(error: ValidationError, rule: string): ErrorCode {
  const codes = error.contexts?.[rule] as { code?: ErrorCode } | undefined;
  return codes?.code ?? 'invalid_request';
}
