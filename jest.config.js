// The compiled specs, as native ES modules: the tests run the bytes that ship. See test/runner.
export default {
  rootDir: 'dist',
  testMatch: ['**/test/**/*.spec.js'],
  transform: {},
  testRunner: '<rootDir>/test/runner/run-spec.js',
  testSequencer: '<rootDir>/test/runner/longest-first.js',
  testEnvironment: '<rootDir>/test/runner/spec-environment.js',
  globalSetup: '<rootDir>/test/support/global-setup.js',
  globalTeardown: '<rootDir>/test/support/global-teardown.js',
  // Waits have limits of their own; a shared machine can be several times slower than an idle one.
  testTimeout: 300_000,
  // Most long specs wait for timers of the service: six of them keep two cores busy.
  maxWorkers: 6,
  // On a busy machine a process needs more than the half second that Jest gives it to end.
  workerGracefulExitTimeout: 5_000,
};
