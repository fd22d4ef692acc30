import { getMetadataStorage, IS_STRING } from 'class-validator';
import { isGiven } from './if-given.js';

/**
 * The fields of a class that must be given, by its rules for class-validator; undefined unless they are strings and
 * nothing else is checked of them.
 */
export function requiredStrings(shape: object): readonly string[] | undefined {
  const all = getMetadataStorage().getTargetValidationMetadatas(shape as () => void, '', false, false);
  const optional = all.filter(({ constraints }) => constraints?.[0] === isGiven).map((rule) => rule.propertyName);
  const rules = all.filter(({ propertyName }) => !optional.includes(propertyName));
  const areStrings = rules.every(({ name, each }) => name === IS_STRING && !each);
  return areStrings ? rules.map(({ propertyName }) => propertyName) : undefined;
}
