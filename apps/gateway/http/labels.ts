import { ValidateBy, type ValidationArguments, type ValidationOptions } from 'class-validator';

export const LABEL_LENGTH_MAX = 100;
/** No control characters and no halves of surrogate pairs. */
const LABEL = /^[^\p{Cc}\p{Cs}]{1,100}$/u;

/** Checks a reference or a tag, in a body or in a query. */
export function IsLabel(options: ValidationOptions = {}): PropertyDecorator {
  return ValidateBy(
    {
      name: 'isLabel',
      validator: {
        validate: (value: unknown) => typeof value === 'string' && LABEL.test(value),
        defaultMessage: (rule?: ValidationArguments) =>
          `${rule?.property} must be a string of 1 to ${LABEL_LENGTH_MAX} characters, without control characters.`,
      },
    },
    options,
  );
}
