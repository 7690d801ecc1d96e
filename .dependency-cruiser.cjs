/** Layers from the bottom up: each imports only those below it. */
const layers = [
  ['kernel'],
  ['platform'],
  ['event-store'],
  ['projections', 'event-bus'],
  ['practice'],
  ['reporting', 'webhooks', 'import'],
];
const tests = '\\.spec\\.ts$|^test/|/testing/';

const oneWay = layers.map((layer, level) => ({
  name: `${layer.join('-')}-imports-only-below`,
  comment: 'Imports run one way: see docs/decisions and the README.',
  severity: 'error',
  from: { path: `^libs/(${layer.join('|')})/`, pathNot: tests },
  to: {
    path: `^libs/(${
      layers
        .slice(level + 1)
        .flat()
        .join('|') || '-'
    })/|^apps/|^test/`,
  },
}));

/** No file may be in such a place: it is found by its own imports as well as by those of it. */
const forbidPlace = (name, comment, place) =>
  [
    { from: place, to: {} },
    { from: {}, to: place },
  ].map((rule) => ({ name, comment, severity: 'error', ...rule }));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...oneWay,
    {
      name: 'reports-webhooks-import-apart',
      comment: 'What stands on the same level of the top layer knows nothing of the others.',
      severity: 'error',
      from: { path: `^libs/(${layers.at(-1).join('|')})/` },
      to: { path: `^libs/(${layers.at(-1).join('|')})/`, pathNot: '^libs/$1/' },
    },
    {
      name: 'event-bus-knows-no-projection',
      severity: 'error',
      from: { path: '^libs/event-bus/', pathNot: tests },
      to: { path: '^libs/projections/' },
    },
    {
      name: 'one-kafka-client',
      comment: 'Another client can take the place of kafkajs: see docs/decisions/0012.',
      severity: 'error',
      from: { path: '^(libs|apps)/', pathNot: [tests, '^libs/event-bus/kafka/kafkajs-'] },
      to: { path: 'node_modules/kafkajs/' },
    },
    {
      name: 'apps-apart',
      comment: 'What two processes share belongs in libs/.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/', pathNot: tests },
      to: { path: '^apps/|^test/', pathNot: '^apps/$1/' },
    },
    {
      name: 'areas-meet-in-events-and-lookups',
      comment:
        'An area asks another only through its *.events.ts or *.lookup.ts; what several share is in records/ and billable/.',
      severity: 'error',
      from: { path: '^libs/practice/([^/]+)/', pathNot: [tests, '^libs/practice/demo/'] },
      to: {
        path: '^libs/practice/',
        pathNot: [
          '^libs/practice/($1|records|billable)/',
          '^libs/practice/[^/]+/[^/]+\\.(events|lookup)\\.ts$',
        ],
      },
    },
    {
      name: 'demo-is-known-to-apps-alone',
      comment: 'It makes up records of every area, and so may know their insides.',
      severity: 'error',
      from: { path: '^libs/', pathNot: [tests, '^libs/practice/demo/'] },
      to: { path: '^libs/practice/demo/' },
    },
    {
      name: 'records-know-no-area',
      severity: 'error',
      from: { path: '^libs/practice/records/', pathNot: tests },
      to: { path: '^libs/practice/(?!records/)' },
    },
    {
      name: 'areas-are-loaded-by-their-module',
      comment: 'areas.ts and practice.module.ts see the *.module.ts of an area.',
      severity: 'error',
      from: { path: '^libs/practice/[^/]+\\.ts$', pathNot: tests },
      to: {
        path: '^libs/practice/[^/]+/',
        pathNot: [
          '^libs/practice/records/',
          '^libs/practice/billable/',
          '\\.module\\.ts$',
          '^libs/practice/tenants/tenant-setup\\.ts$',
        ],
      },
    },
    {
      name: 'kernel-is-pure',
      comment: 'No Nest, no I/O: only arithmetic, calendars and ids from packages.',
      severity: 'error',
      from: { path: '^libs/kernel/', pathNot: tests },
      to: { pathNot: '^libs/kernel/|^node_modules/(@types/)?(decimal\\.js|luxon|uuid)/' },
    },
    {
      name: 'no-circles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    ...forbidPlace('layers-are-known', 'A folder of libs/ has its place in the order of layers.', {
      path: `^libs/(?!(${layers.flat().join('|')})/)`,
    }),
    ...forbidPlace('no-barrels', 'Import what is meant from the file that has it.', {
      path: '/index\\.[cm]?[jt]s$',
      pathNot: 'node_modules',
    }),
    ...forbidPlace('no-catch-all-folders', 'A folder is named for what it holds.', {
      path: '/(utils?|helpers?)[/.]',
      pathNot: 'node_modules',
    }),
    {
      name: 'no-tests-in-production',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: tests },
      to: { path: tests },
    },
    {
      name: 'no-development-packages-in-production',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: tests },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-undeclared-packages',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'no-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // The client's types are generated when its test runs.
    exclude: { path: '^(dist|test/bench/peers)/|client-program[.]mts$' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      conditionNames: ['source', 'require', 'node', 'default'],
      exportsFields: ['exports'],
    },
  },
};
