/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      comment:
        'Modules that need each other are one module, or need a third. Types may point back.',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'contracts-is-a-leaf',
      severity: 'error',
      from: { path: '^contracts/' },
      to: { path: '^(libs|services|scripts|tests|bench)/' },
    },
    {
      name: 'service-kit-imports-only-contracts',
      severity: 'error',
      from: { path: '^libs/service-kit/' },
      to: { path: '^(services|scripts|tests|bench)/' },
    },
    {
      name: 'token-verifier-stands-alone',
      severity: 'error',
      comment: 'Anybody who accepts our tokens may take it, without the rest of us.',
      from: { path: '^libs/token-verifier/' },
      to: { path: '^(contracts|libs/service-kit|services|scripts|tests|bench)/' },
    },
    {
      name: 'services-never-import-each-other',
      severity: 'error',
      comment: 'They meet on topics and over HTTP only.',
      from: { path: '^services/([^/]+)/' },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    {
      name: 'services-do-not-import-tooling',
      severity: 'error',
      comment: 'Tests of a service may: they run on the local stack.',
      from: { path: '^services/[^/]+/src/' },
      to: { path: '^(scripts|tests|bench)/' },
    },
    {
      name: 'services-are-reached-as-processes',
      severity: 'error',
      from: { path: '^(scripts|tests|bench)/' },
      to: { path: '^services/' },
    },
    {
      name: 'scripts-import-no-tests',
      severity: 'error',
      from: { path: '^(scripts|bench)/' },
      to: { path: '^tests/' },
    },
    {
      name: 'only-declared-packages',
      severity: 'error',
      comment: 'A package that another one happens to bring along disappears without a warning.',
      from: { pathNot: '\\.test\\.ts$|/test/|^tests/' },
      to: { path: 'node_modules/', dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'nothing-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)dist/|^scripts/lint-canary/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.check.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'node', 'types', 'default'],
      extensions: ['.ts', '.mjs', '.js', '.cjs', '.json'],
    },
  },
}
