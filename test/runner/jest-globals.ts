import { mkdirSync, writeFileSync } from 'node:fs';

const PACKAGE = new URL('../node_modules/@jest/globals/', import.meta.url);

/**
 * `@jest/globals` itself throws where it is imported outside of Jest's VM. Node finds this one before it, beside the
 * compiled specs: what the runner provides. A hook of imports would do so too, but in a thread for each process, which
 * each import of each spec has to ask.
 */
export function writeJestGlobals(): void {
  mkdirSync(PACKAGE, { recursive: true });
  writeFileSync(new URL('package.json', PACKAGE), JSON.stringify({ type: 'module', exports: './index.js' }));
  writeFileSync(new URL('index.js', PACKAGE), "export * from '../../../runner/spec-globals.js';\n");
}
