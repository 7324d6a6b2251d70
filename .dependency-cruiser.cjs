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
      to: { path: '^(libs/(?!service-kit)[^/]+|services|scripts|tests|bench)/' },
    },
    {
      name: 'deliveries-imports-only-contracts',
      severity: 'error',
      comment: 'What a change becomes for a subscription is decided without any surroundings.',
      from: { path: '^libs/deliveries/' },
      to: { path: '^(libs/(?!deliveries)[^/]+|services|scripts|tests|bench)/' },
    },
    {
      name: 'token-verifier-stands-alone',
      severity: 'error',
      comment: 'Anybody who accepts our tokens may take it, without the rest of us.',
      from: { path: '^libs/token-verifier/' },
      to: { path: '^(contracts|libs/(?!token-verifier)[^/]+|services|scripts|tests|bench)/' },
    },
    {
      name: 'the-operators-command-imports-no-service',
      severity: 'error',
      comment: 'It reaches services over HTTP.',
      from: { path: '^libs/operator-cli/' },
      to: { path: '^(services|scripts|tests|bench)/' },
    },
    {
      name: 'no-service-depends-on-the-operators-command',
      severity: 'error',
      from: { path: '^(contracts|services|libs/(?!operator-cli)[^/]+)/' },
      to: { path: '^libs/operator-cli/' },
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
      comment: 'What the chart tells them is given to their own readers of it.',
      from: { path: '^(scripts|tests|bench)/', pathNot: '^tests/deploy/service-readers\\.ts$' },
      to: { path: '^services/' },
    },
    {
      name: 'tests-of-the-chart-read-configuration-only',
      severity: 'error',
      from: { path: '^tests/deploy/' },
      to: { path: '^services/', pathNot: '^services/[^/]+/src/config\\.ts$' },
    },
    {
      name: 'scripts-import-no-tests',
      severity: 'error',
      from: { path: '^(scripts|bench)/' },
      to: { path: '^tests/' },
    },
    {
      name: 'opentelemetry-in-one-module',
      severity: 'error',
      from: { pathNot: '^libs/service-kit/src/tracing/otlp-tracing\\.ts$|/node_modules/' },
      to: { path: 'node_modules/@opentelemetry/' },
    },
    {
      name: 'opentelemetry-only-when-it-is-on',
      severity: 'error',
      comment: 'A process that traces nothing does not load it.',
      from: {},
      to: { path: '^libs/service-kit/src/tracing/otlp-tracing\\.ts$', dynamic: false },
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
    // What packages bring along is often in a dist of theirs.
    exclude: { path: '^[a-z]+/dist/|^(libs|services)/[a-z-]+/dist/|^scripts/lint-canary/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.check.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'node', 'types', 'default'],
      extensions: ['.ts', '.mjs', '.js', '.cjs', '.json'],
    },
  },
}
