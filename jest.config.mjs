const shared = {
  rootDir: import.meta.dirname,
  // Jest looks for files only here: a look into node_modules costs seconds at each start.
  roots: ['bench', 'console', 'contracts', 'libs', 'packages', 'scripts', 'services', 'tests'].map(
    (folder) => `<rootDir>/${folder}`,
  ),
  testEnvironment: '<rootDir>/tests/support/jest/counted-environment.mjs',
  runtime: '<rootDir>/tests/support/jest/native-runtime.mjs',
  transform: {},
  modulePathIgnorePatterns: [
    '<rootDir>/\\.local/',
    '<rootDir>/(?:contracts|console|scripts|tests|bench|(?:libs|packages|services)/[^/]+)/dist/',
  ],
}

/** `x.all.e2e.test.ts` and `x.all.int.test.ts` run only in `npm run test:all`. */
const notOfAll = '!**/*.all.*.test.ts'

/** Tests on the real stack: the runner names one for each worker in TEST_STACKS, else this starts them. */
const onStack = {
  ...shared,
  testEnvironment: '<rootDir>/tests/support/jest/stack-environment.mjs',
  globalSetup: '<rootDir>/tests/support/jest/open-stacks.mjs',
  globalTeardown: '<rootDir>/tests/support/jest/close-stacks.mjs',
}

const integration = { ...onStack, displayName: 'integration' }
const endToEnd = {
  ...onStack,
  displayName: 'e2e',
  globalSetup: '<rootDir>/tests/support/shared/open-systems.mjs',
  globalTeardown: '<rootDir>/tests/support/shared/close-systems.mjs',
}

export default {
  // Tests wait for conditions with limits of their own. This limit only ends one that hangs, so it
  // allows for a slow and busy machine. Jest ignores a project's own testTimeout.
  testTimeout: 900_000,
  testSequencer: '<rootDir>/tests/support/jest/longest-first.mjs',
  reporters: ['default', '<rootDir>/tests/support/jest/cost-reporter.mjs'],
  projects: [
    { ...shared, displayName: 'unit', testMatch: ['**/src/**/*.test.ts'] },
    {
      ...shared,
      displayName: 'deploy',
      globalSetup: '<rootDir>/tests/support/jest/build-helm.mjs',
      testMatch: ['<rootDir>/tests/deploy/**/*.test.ts'],
    },
    { ...integration, testMatch: ['**/test/**/*.int.test.ts', notOfAll] },
    {
      ...integration,
      displayName: 'integration-all',
      testMatch: ['**/test/**/*.all.int.test.ts'],
    },
    {
      ...shared,
      displayName: 'containers',
      testMatch: ['<rootDir>/tests/**/*.containers.test.ts'],
    },
    {
      ...endToEnd,
      // One process starts faster than six and takes half the memory.
      testEnvironmentOptions: { systemMode: 'single' },
      testMatch: ['<rootDir>/tests/**/*.e2e.test.ts', notOfAll],
    },
    {
      ...endToEnd,
      displayName: 'e2e-all',
      testEnvironmentOptions: { systemMode: 'separate' },
      testMatch: ['<rootDir>/tests/**/*.all.e2e.test.ts'],
    },
    // These tests start stacks of their own, because they break them.
    {
      ...shared,
      displayName: 'faults',
      testMatch: ['<rootDir>/tests/**/*.faults.test.ts'],
    },
  ],
}
