/** The rooms of src/ and what each may import: one way only, so that each can be read without the ones behind it. */
const ALLOWED = {
  config: ['domain', 'contract', 'redis', 'identity'],
  domain: [],
  contract: ['domain'],
  telemetry: ['domain'],
  redis: ['domain'],
  engine: ['domain', 'contract', 'redis'],
  outgoing: [],
  identity: ['domain', 'config', 'outgoing'],
  events: ['domain', 'contract', 'redis', 'engine'],
  waiting: ['domain', 'contract', 'redis', 'engine', 'events', 'limits'],
  jobs: ['domain', 'redis', 'engine', 'definitions'],
  limits: ['domain', 'redis', 'engine'],
  store: ['domain', 'contract', 'redis', 'engine'],
  definitions: ['domain', 'contract', 'redis', 'engine', 'store'],
  notices: ['domain', 'contract', 'redis', 'engine', 'outgoing', 'store', 'telemetry'],
  operations: [
    'domain',
    'contract',
    'engine',
    'definitions',
    'identity',
    'limits',
    'notices',
    'outgoing',
    'store',
    'telemetry',
  ],
  http: [
    'domain',
    'contract',
    'engine',
    'events',
    'identity',
    'limits',
    'notices',
    'operations',
    'outgoing',
    'store',
    'telemetry',
  ],
  mcp: ['domain', 'contract', 'engine', 'http', 'operations'],
  slack: ['domain', 'contract', 'engine', 'http', 'identity', 'limits', 'operations', 'outgoing', 'store'],
  dashboard: ['domain', 'contract', 'engine', 'http', 'identity', 'operations', 'store'],
};

const room = (name) => `^src/${name}/`;

/** The same for packages/client/src. Everything may import the files of CLIENT_WORDS; only the command line, Node's. */
const CLIENT_ALLOWED = { http: [], holds: ['http'], sessions: ['http', 'holds'], events: ['http'] };
const CLIENT_WORDS = '^packages/client/src/(types|errors|durations|environment|match|options|generated)\\.ts$';

const clientRoom = (name) => `^packages/client/src/${name}/`;

module.exports = {
  forbidden: [
    {
      name: 'no-circle',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphan',
      severity: 'error',
      from: { orphan: true, pathNot: ['^src/main\\.ts$', '^src/dashboard/assets/', '^packages/client/src/'] },
      to: {},
    },
    ...Object.entries(ALLOWED).map(([name, allowed]) => ({
      name: `${name}-imports-only-${allowed.join('-and-') || 'itself'}`,
      severity: 'error',
      from: { path: room(name) },
      to: { path: '^src/', pathNot: [name, ...allowed].map(room) },
    })),
    ...Object.entries(CLIENT_ALLOWED).map(([name, allowed]) => ({
      name: `client-${name}-imports-only-${allowed.join('-and-') || 'itself'}`,
      severity: 'error',
      from: { path: clientRoom(name) },
      to: { path: '^packages/', pathNot: [CLIENT_WORDS, ...[name, ...allowed].map(clientRoom)] },
    })),
    {
      name: 'client-words-import-only-each-other',
      severity: 'error',
      from: { path: CLIENT_WORDS },
      to: { pathNot: CLIENT_WORDS },
    },
    {
      name: 'command-line-uses-the-public-client',
      severity: 'error',
      from: { path: clientRoom('cli') },
      to: {
        path: '^packages/',
        pathNot: [
          CLIENT_WORDS,
          clientRoom('cli'),
          '^packages/client/(src/(holdfast|index|ci/job|http/watched)\\.ts|package\\.json)$',
        ],
      },
    },
    {
      name: 'steps-of-ci-systems-use-the-command-line',
      severity: 'error',
      from: { path: '^integrations/' },
      to: {
        path: '^(src|packages|node_modules)/',
        pathNot: [clientRoom('cli'), '^packages/client/src/(index|holds/requesters)\\.ts$'],
      },
    },
    {
      name: 'client-runs-in-a-browser',
      severity: 'error',
      from: { path: '^packages/client/src/(?!cli/)' },
      to: { dependencyTypes: ['npm', 'npm-dev', 'core'] },
    },
    {
      name: 'service-and-client-share-no-code',
      severity: 'error',
      from: { path: '^(src|packages)/' },
      to: { path: '^(src|packages)/', pathNot: '^$1/' },
    },
    {
      name: 'dashboard-shares-only-these-parts-of-http',
      severity: 'error',
      from: { path: room('dashboard') },
      to: {
        path: '^src/http/',
        pathNot: '^src/http/(admission/clientAddress|browsers|call/csv|deps|errors)\\.ts$',
      },
    },
    {
      name: 'the-mcp-sdk-is-loaded-when-needed',
      severity: 'error',
      from: { pathNot: '^src/mcp/(server|tools/)' },
      to: { path: '^src/mcp/(server|tools/)', dependencyTypesNot: ['type-only', 'dynamic-import'] },
    },
    {
      name: 'what-few-instances-need-is-loaded-when-needed',
      severity: 'error',
      // Its pages are themselves loaded at the first request for one.
      from: { pathNot: room('dashboard') },
      to: {
        path: [
          '^src/telemetry/(traces|metrics)\\.',
          '^src/identity/oidc\\.',
          '^src/store/(pglite|postgresPool|migratePostgres)\\.',
          '^src/wire/(jobs|jobsInDatabase|storesInDatabase|tenantRoutes)\\.',
          '^src/domain/series\\.',
          '^src/(dashboard/routes|http/openapi/openapi)\\.',
        ],
        dependencyTypesNot: ['type-only', 'dynamic-import'],
      },
    },
    {
      name: 'only-traces-know-opentelemetry',
      severity: 'error',
      from: { pathNot: '^src/telemetry/traces' },
      to: { path: '@opentelemetry/' },
    },
    {
      name: 'contract-runs-in-a-browser',
      severity: 'error',
      from: { path: room('contract') },
      to: { dependencyTypes: ['npm', 'core'], pathNot: '(^|/)node_modules/zod/' },
    },
    {
      name: 'domain-is-pure',
      severity: 'error',
      from: { path: room('domain') },
      // Time zones are a computation, too.
      to: { dependencyTypes: ['npm', 'core'], pathNot: '^(node:)?async_hooks$|(^|/)node_modules/temporal-polyfill/' },
    },
    {
      name: 'only-wire-and-main-put-rooms-together',
      severity: 'error',
      from: { path: '^src/(?!wire/|(main|launch|serve)\\.ts)' },
      to: { path: '^src/(wire/|main|launch|serve)' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
  },
};
