import { ValidateIf } from 'class-validator';

export const isGiven = (_input: unknown, value: unknown): boolean => value !== undefined;

/** The field may be left out: then an input does not have it, and its other rules are not asked. */
export const IfGiven = () => ValidateIf(isGiven);
