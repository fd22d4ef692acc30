import { en } from './words/en.js';

/** The words of the owners' console. A translation is another catalogue of this shape. */
export const t: Words = en;
export type Words = typeof en;
