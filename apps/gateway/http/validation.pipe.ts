import { ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import type { ErrorCode } from './error-catalogue.js';
import { type FieldFault, problemOf } from './problem.js';

/** Checks the shape of bodies and queries by their DTO classes; unknown fields are ignored, as the contract's clients expect. */
export function validationPipe(): ValidationPipe {
  return new ValidationPipe({
    transform: true,
    forbidUnknownValues: false,
    stopAtFirstError: true,
    exceptionFactory: (errors) => problemOf(errors.flatMap((error) => faultsOf(error))),
  });
}

/** Class-validator reports a tree; clients get a flat list with the entry of the batch that each fault is in. */
function faultsOf(error: ValidationError, arrayPosition?: number): FieldFault[] {
  const own = Object.entries(error.constraints ?? {}).map(([rule, detail]) => ({
    field: error.property,
    ...(arrayPosition !== undefined && { arrayPosition }),
    code: codeOf(error, rule),
    detail,
  }));
  const inner = (error.children ?? []).flatMap((child) =>
    /^[0-9]+$/.test(child.property) ? entryFaults(child) : faultsOf(child, arrayPosition),
  );
  return [...own, ...inner];
}

function entryFaults(entry: ValidationError): FieldFault[] {
  const arrayPosition = Number(entry.property);
  const own = Object.values(entry.constraints ?? {}).map(() => ({
    field: 'messages',
    arrayPosition,
    code: 'invalid_request',
    detail: 'Every entry of messages must be an object with recipient and message.',
  }));
  return [...own, ...(entry.children ?? []).flatMap((child) => faultsOf(child, arrayPosition))];
}

function codeOf(error: ValidationError, rule: string): ErrorCode {
  const codes = error.contexts?.[rule] as { code?: ErrorCode } | undefined;
  return codes?.code ?? 'invalid_request';
}
