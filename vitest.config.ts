import { defineConfig } from 'vitest/config';
import { LongFirst } from './test/support/longFirst.ts';

const CLIENT = `${import.meta.dirname}/packages/client/src`;

/** What takes long: faults, topologies, the worst cases of scripts, the dashboard in depth. */
const THOROUGH = 'test/**/*.thorough.test.ts';
/** Random histories: few of them in the fast tests, others each time; many in the thorough ones, always the same. */
const HISTORIES = 'test/model/*istories.test.ts';

/** Of both projects. What starts servers is not: each would start its own besides. */
const SHARED = {
  // The examples import the client by its name. Its package need not be built for the tests.
  resolve: {
    alias: [
      { find: /^@holdfast\/client$/, replacement: `${CLIENT}/index.ts` },
      { find: /^@holdfast\/client\/testing$/, replacement: `${CLIENT}/testing/index.ts` },
    ],
  },
  test: {
    // Only what hangs takes so long: a deadline costs nothing in a test that passes, and machines may be slow.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // Files share one Redis, each with tenants of its own. Many of them mostly wait, so there are more workers than
    // the two cores of a small machine; many more would blur what tests time.
    maxWorkers: 3,
    // Files of a worker share the modules of the service: importing them takes longer than most files' tests. So a
    // fixture with hooks is a function, called by each test file.
    isolate: false,
    // A worker that ends while it passes on what was printed would fail the run. ioredis prints errors of connections
    // to sentinels, even after a client was closed.
    disableConsoleIntercept: true,
  },
};

export default defineConfig({
  test: {
    globalSetup: ['test/support/redis.ts', 'test/support/postgres.ts', 'test/support/programs.ts'],
    reporters: ['default', './test/support/closingLine.ts'],
    sequence: { sequencer: LongFirst },
    projects: [
      { ...SHARED, test: { ...SHARED.test, name: 'fast', include: ['test/**/*.test.ts'], exclude: [THOROUGH] } },
      {
        ...SHARED,
        test: {
          ...SHARED.test,
          name: 'thorough',
          include: [THOROUGH, HISTORIES],
          env: process.env.HISTORIES === undefined ? { HISTORIES: '40', SEED: '1' } : {},
        },
      },
    ],
  },
});
