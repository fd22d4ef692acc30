import { en } from './words/en.js';

/** The words of the parts that both consoles share. A translation is another catalogue of this shape. */
export const words: Words = en;
export type Words = typeof en;
