import { ValidateBy, type ValidationArguments } from 'class-validator';
import { lineForm } from '#billing';

const LABEL_LENGTH_MAX = 100;
/** The OpenAPI schema of a text without control characters; `IsLine` also refuses halves of surrogate pairs. */
export const LINE = { type: String, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$' };
/** The schema of a reference or a tag. */
export const LABEL = { ...LINE, minLength: 1, maxLength: LABEL_LENGTH_MAX };

/** Checks a reference or a tag, in a body or in a query. */
export function IsLabel(): PropertyDecorator {
  return IsLine(LABEL_LENGTH_MAX);
}

/** Checks a text that is stored. */
export function IsLine(lengthMax: number): PropertyDecorator {
  const line = lineForm(1, lengthMax);
  return ValidateBy({
    name: 'isLine',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && line.test(value),
      defaultMessage: (rule?: ValidationArguments) =>
        `${rule?.property} must be a string of 1 to ${lengthMax} characters, without control characters.`,
    },
  });
}
