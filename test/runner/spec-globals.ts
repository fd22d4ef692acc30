import type { jest as Jest } from '@jest/globals';

type Globals = typeof import('@jest/globals');

/** What the specs import as `@jest/globals`: of the spec that runs now, in modules of several specs as well. */
export let afterAll: Globals['afterAll'];
export let afterEach: Globals['afterEach'];
export let beforeAll: Globals['beforeAll'];
export let beforeEach: Globals['beforeEach'];
export let describe: Globals['describe'];
export let expect: Globals['expect'];
export let it: Globals['it'];
export let test: Globals['test'];
export let jest: Partial<typeof Jest>;

/** Before a spec is imported. */
export function provideGlobals(globals: Omit<Globals, 'jest'>, itsJest: Partial<typeof Jest>): void {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } = globals);
  jest = itsJest;
}
