/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'Modules that need each other are one module, or need a third.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'contracts-is-a-leaf',
      severity: 'error',
      comment: 'What the parts agree on: pure, no I/O, no client of anything.',
      from: { path: '^contracts/' },
      to: { path: '^(libs|packages|services|scripts|tests|bench)/' },
    },
    {
      name: 'schemas-imports-only-contracts',
      severity: 'error',
      from: { path: '^libs/schemas/(src|scripts)/' },
      to: { path: '^(libs/(?!schemas/)|packages|services|scripts|tests|bench)' },
    },
    {
      name: 'service-kit-knows-no-domain',
      severity: 'error',
      from: { path: '^libs/service-kit/src/' },
      to: { path: '^(libs/(?!service-kit/|schemas/)|packages|services|scripts|tests|bench)' },
    },
    {
      name: 'kafka-is-below-the-domain',
      severity: 'error',
      from: { path: '^libs/kafka/src/' },
      to: {
        path: '^(libs/(?!kafka/|service-kit/|schemas/)|packages|services|scripts|tests|bench)',
      },
    },
    {
      name: 'patches-of-kafkajs-are-the-ground-floor',
      severity: 'error',
      from: { path: '^libs/kafka/src/kafkajs-patches/' },
      to: { path: '^libs/(kafka/src/(?!kafkajs-patches/)|(?!kafka/|service-kit/src/bounded))' },
    },
    {
      name: 'change-capture-imports-no-domain-but-contracts',
      severity: 'error',
      from: { path: '^libs/change-capture/src/' },
      to: {
        path: '^(libs/(?!change-capture/|kafka/|service-kit/|schemas/)|packages|services|scripts|tests|bench)',
      },
    },
    {
      name: 'matching-imports-only-contracts-and-schemas',
      severity: 'error',
      comment: 'What a change becomes for a subscription is decided without any surroundings.',
      from: { path: '^libs/matching/' },
      to: { path: '^(libs/(?!matching/|schemas/)|packages|services|scripts|tests|bench)' },
    },
    {
      name: 'only-tests-import-testing',
      severity: 'error',
      from: { path: '/src/', pathNot: '^libs/testing/|\\.test\\.ts$' },
      to: { path: '^libs/testing/' },
    },
    {
      name: 'token-verifier-stands-alone',
      severity: 'error',
      comment: 'Anyone who accepts our tokens may install it without the other packages.',
      from: { path: '^packages/token-verifier/' },
      to: {
        path: '^(contracts|libs|packages/(?!token-verifier/)|services|scripts|tests|bench)',
      },
    },
    {
      name: 'publisher-imports-clients-only',
      severity: 'error',
      comment: 'Its parts of libs are bundled when it is published.',
      from: { path: '^packages/publisher/src/' },
      to: {
        path: '^(libs/(?!schemas/|kafka/src/kafkajs-patches/)|packages/(?!publisher/)|services|scripts|tests|bench)',
      },
    },
    {
      name: 'the-command-imports-no-service',
      severity: 'error',
      comment: 'It reaches services over HTTP.',
      from: { path: '^packages/cli/' },
      to: { path: '^(services|scripts|tests|bench)/' },
    },
    {
      name: 'nobody-below-imports-the-command',
      severity: 'error',
      from: { path: '^(contracts|services|libs|packages/(?!cli/))' },
      to: { path: '^packages/cli/' },
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
      name: 'kafkajs-in-one-package',
      severity: 'error',
      comment: 'Tests and bench may use it as a client that is independent of ours.',
      from: { path: '^(contracts|libs/(?!kafka/)|packages/(?!publisher/)|services)' },
      to: { path: 'node_modules/kafkajs/' },
    },
    {
      name: 'opentelemetry-in-one-module',
      severity: 'error',
      from: {
        pathNot: '^libs/service-kit/src/telemetry/tracing/otlp-tracing\\.ts$|/node_modules/',
      },
      to: { path: 'node_modules/@opentelemetry/' },
    },
    {
      name: 'opentelemetry-only-when-it-is-on',
      severity: 'error',
      comment: 'A process that traces nothing does not load it.',
      from: {},
      to: { path: '^libs/service-kit/src/telemetry/tracing/otlp-tracing\\.ts$', dynamic: false },
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
    exclude: {
      path: '^[a-z]+/dist/|^(libs|packages|services)/[a-z-]+/dist/|^scripts/lint-canary/',
    },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.check.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'node', 'types', 'default'],
      extensions: ['.ts', '.mjs', '.js', '.cjs', '.json'],
    },
  },
}
