const lowest = ['contracts', 'libs/schemas']
const kit = [...lowest, 'libs/service-kit']
const clients = [...kit, 'libs/kafka']

/** Another rule keeps it out of what is not a test. */
const forTests = ['libs/testing']

/** What each room may import besides itself. Published packages bundle what they take from libs. */
const mayImport = {
  contracts: [],
  'libs/schemas': ['contracts'],
  'libs/service-kit': ['contracts', ...forTests],
  'libs/kafka/src/kafkajs-patches': [
    'libs/service-kit/src/bounded',
    'libs/kafka/test/support',
    ...forTests,
  ],
  'libs/kafka': [...kit, ...forTests],
  'libs/change-capture': [...clients, ...forTests],
  'libs/access': [...clients, 'libs/change-capture', 'packages/token-verifier', ...forTests],
  'libs/diagnosis': clients,
  'libs/matching': [
    ...lowest,
    'libs/service-kit/src/id-table',
    'libs/service-kit/src/newest-entries',
  ],
  'libs/testing': clients,
  'packages/auth': [],
  'packages/client': [],
  console: [
    'packages/client',
    'contracts/src/openapi/reference',
    'contracts/src/openapi/error-meanings',
    'contracts/src/byte-size',
    'contracts/src/http/data/reserved-tables',
    'contracts/src/http/data/owner-access',
  ],
  'packages/token-verifier': [],
  'packages/publisher': [...lowest, 'libs/kafka/src/kafkajs-patches', 'scripts/bundle'],
}

function onlyImports(room, allowed) {
  const open = [room, ...allowed].map((path) => `(?!${path}[/.])`).join('')
  return {
    name: `only-what-${room.replaceAll('/', '-')}-may-import`,
    severity: 'error',
    from: { path: `^${room}/` },
    to: { path: `^${open}(contracts|console|libs|packages|services|scripts|tests|bench)/` },
  }
}

/** The rooms of the console, each above the ones behind it. Parts get their data by props. */
const consoleRooms = ['app', 'pages', 'api', 'session', 'parts', 'styles']

function onlyLowerRooms(room, at) {
  return {
    name: `the-console-imports-downwards-from-${room}`,
    severity: 'error',
    from: { path: `^console/src/${room}/` },
    to: { path: `^console/src/(main\\.tsx|(${consoleRooms.slice(0, at).join('|') || 'main'})/)` },
  }
}

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
      name: 'folders-import-one-way',
      severity: 'error',
      comment: 'A folder is read after those that it imports. Its root composes it.',
      scope: 'folder',
      from: { path: '^services/webhook-api/src/' },
      to: { circular: true },
    },
    ...Object.entries(mayImport).map(([room, allowed]) => onlyImports(room, allowed)),
    ...consoleRooms.map(onlyLowerRooms),
    {
      name: 'folders-of-the-console-import-one-way',
      severity: 'error',
      comment: 'A folder and those below it count as one.',
      scope: 'folder',
      from: { path: '^console/src/' },
      to: { circular: true },
    },
    {
      name: 'only-tests-import-testing',
      severity: 'error',
      from: { pathNot: '/testing/|\\.test\\.ts$|/test/|^(tests|bench)/' },
      to: { path: '^(libs|contracts/src)/testing/' },
    },
    {
      name: 'the-command-imports-no-service',
      severity: 'error',
      comment: 'It reaches services over HTTP.',
      from: { path: '^packages/cli/' },
      to: { path: '^(services|scripts/(?!bundle/)|tests|bench)/' },
    },
    {
      name: 'nobody-below-imports-the-command',
      severity: 'error',
      from: { path: '^(contracts|services|libs|packages/(?!cli/))' },
      to: { path: '^packages/cli/' },
    },
    {
      name: 'the-receiver-imports-nothing-private',
      severity: 'error',
      comment: 'Its tests do: they sign like the dispatcher.',
      from: { path: '^packages/receiver/src/', pathNot: '\\.test\\.ts$' },
      to: { path: '^(contracts|libs|services|scripts|tests|bench|packages/(?!receiver/src/))' },
    },
    {
      name: 'services-never-import-each-other',
      severity: 'error',
      comment: 'They meet on topics and over HTTP only.',
      from: { path: '^services/([^/]+)/', pathNot: '^services/single-process/' },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    {
      name: 'the-single-process-composes-services',
      severity: 'error',
      comment: 'It knows what each service exports: how it is configured and how it is opened.',
      from: { path: '^services/single-process/' },
      to: {
        path: '^services/',
        pathNot: '^services/single-process/|^services/[^/]+/src/(?:config|compose)\\.ts$',
      },
    },
    {
      name: 'services-import-one-package',
      severity: 'error',
      comment: 'The other packages are for users of Surehook.',
      from: { path: '^services/[^/]+/src/', pathNot: '\\.test\\.ts$' },
      to: { path: '^packages/(?!token-verifier/)' },
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
      name: 'clients-run-everywhere',
      severity: 'error',
      comment: 'They have no dependency and run in browsers.',
      from: { path: '^packages/(auth|client)/src/', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-optional', 'npm-peer'] },
    },
    {
      name: 'kafkajs-in-one-package',
      severity: 'error',
      comment: 'Tests may use it as a client that is independent of ours.',
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
      path: '^[a-z]+/dist/|^(libs|packages|services)/[a-z-]+/dist/|^scripts/lint-canary/|^tests/data/openapi-client/',
    },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.check.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'node', 'types', 'default'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.cjs', '.json'],
    },
  },
}
