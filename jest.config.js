// Jest runs the compiled specs as native ES modules: the tests run the bytes that ship.
export default {
  rootDir: 'dist',
  testMatch: ['**/test/**/*.spec.js'],
  transform: {},
  testTimeout: 30_000,
};
