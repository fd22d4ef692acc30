import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { jest } from '@jest/globals';
import { closeOpened } from '../support/closed-after-test.js';
import { loadWithRunningNow } from './running-now.js';
import type SpecEnvironment from './spec-environment.js';
import { afterEach, provideGlobals } from './spec-globals.js';

/** Those of Jest's own runner that this one uses. */
interface Circus {
  initialize(options: object): Promise<unknown>;
  runAndTransformResultsToJestFormat(options: object): Promise<object>;
}

const require = createRequire(import.meta.url);
const CIRCUS = join(dirname(require.resolve('jest-circus/package.json')), 'build/jestAdapterInit.js');
/** jest-circus keeps here who hears of a test's events. */
const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS');
const TEST_TIMEOUT = Symbol.for('TEST_TIMEOUT_SYMBOL');

const shared = globalThis as unknown as {
  [TEST_TIMEOUT]?: number | undefined;
  [EVENT_HANDLERS]?: unknown;
};
let runs = 0;

/** Jest ends a process by force that does not end after its last spec: this says what keeps it. */
process.once('SIGTERM', () => {
  process.stderr.write(`A process of Jest was kept by: ${process.getActiveResourcesInfo().join(', ')}\n`);
  process.exit(1);
});

/**
 * Runs a spec with jest-circus as a module of this process. Jest's own way gives each spec a context of a VM and loads
 * into it all that the spec imports, anew: with the whole service that is two seconds of processor time for each of two
 * hundred specs. Here Node loads the service once, and the specs of a process share it, as requests share it in
 * production. They also share the modules of `test` that they import, so none of those registers hooks when it is
 * imported.
 */
export default async function runSpec(
  globalConfig: object,
  config: object,
  environment: SpecEnvironment,
  runtime: object,
  testPath: string,
  sendMessageToJest?: unknown,
): Promise<object> {
  // A module of jest-circus holds the tests of one spec: each gets a new one.
  delete require.cache[CIRCUS];
  delete shared[EVENT_HANDLERS];
  delete shared[TEST_TIMEOUT];
  const circus = loadWithRunningNow(() => require(CIRCUS) as Circus);
  await circus.initialize({
    globalConfig,
    config,
    environment,
    runtime,
    testPath,
    sendMessageToJest,
    parentProcess: process,
    localRequire: require,
    setGlobalsForRuntime: (globals: Parameters<typeof provideGlobals>[0]) =>
      provideGlobals(globals, jestObject(environment)),
  });
  afterEach(closeOpened);
  // In watch mode a process runs the same spec again.
  runs += 1;
  await import(`${pathToFileURL(testPath).href}?run=${runs}`);
  const setupAfterEnvPerfStats = { setupAfterEnvStart: 0, setupAfterEnvEnd: 0 };
  return circus.runAndTransformResultsToJestFormat({ globalConfig, config, setupAfterEnvPerfStats, testPath });
}

/** The part of `jest` that does not need Jest's own modules. */
function jestObject({ fakeTimersModern: timers, moduleMocker: mocker }: SpecEnvironment): Partial<typeof jest> {
  const object: Partial<typeof jest> = {
    setTimeout: (timeoutMs) => {
      shared[TEST_TIMEOUT] = timeoutMs;
      return object as typeof jest;
    },
    fn: mocker.fn.bind(mocker),
    spyOn: mocker.spyOn.bind(mocker),
    restoreAllMocks: () => {
      mocker.restoreAllMocks();
      return object as typeof jest;
    },
    useFakeTimers: () => {
      timers.useFakeTimers();
      return object as typeof jest;
    },
    useRealTimers: () => {
      timers.useRealTimers();
      return object as typeof jest;
    },
    advanceTimersByTime: (ms) => timers.advanceTimersByTime(ms),
    advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
    getTimerCount: () => timers.getTimerCount(),
  };
  return object;
}
