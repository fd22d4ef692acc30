// Jest runs the compiled specs as native ES modules: the tests run the bytes that ship.
export default {
  rootDir: 'dist',
  testMatch: ['**/test/**/*.spec.js'],
  transform: {},
  moduleNameMapper: { '^content-disposition$': '<rootDir>/../test/support/content-disposition.cjs' },
  globalSetup: '<rootDir>/test/support/global-setup.js',
  globalTeardown: '<rootDir>/test/support/global-teardown.js',
  // Waits have limits of their own; a shared machine can be several times slower than an idle one.
  testTimeout: 180_000,
  maxWorkers: 3,
};
