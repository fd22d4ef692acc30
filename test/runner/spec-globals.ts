import type { SpecGlobals } from './run-spec.js';

type Named = (...args: unknown[]) => unknown;

/** Stands for what the spec that runs now has by this name: a module that several specs import is loaded once. */
function current(name: string): Named {
  const named = () => (globalThis as { specGlobals?: SpecGlobals }).specGlobals?.[name] as Named;
  return new Proxy(() => undefined, {
    apply: (_target, _self, args) => named()(...args),
    get: (_target, property) => Reflect.get(named(), property),
  });
}

export const afterAll = current('afterAll');
export const afterEach = current('afterEach');
export const beforeAll = current('beforeAll');
export const beforeEach = current('beforeEach');
export const describe = current('describe');
export const expect = current('expect');
export const it = current('it');
export const jest = current('jest');
export const test = current('test');
