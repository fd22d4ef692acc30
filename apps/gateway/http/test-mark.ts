import type { KeyHolder } from '#persistence';

/** The field `test` of answers: true with a test key; live answers are without it. */
export function testMark({ isTest }: KeyHolder): true | undefined {
  return isTest ? true : undefined;
}
