import { defineConfig } from 'vitest/config';
import { LongFirst } from './test/support/longFirst.ts';

const CLIENT = `${import.meta.dirname}/packages/client/src`;

export default defineConfig({
  // The examples import the client by its name. Its package need not be built for the tests.
  resolve: {
    alias: [
      { find: /^@holdfast\/client$/, replacement: `${CLIENT}/index.ts` },
      { find: /^@holdfast\/client\/testing$/, replacement: `${CLIENT}/testing/index.ts` },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/redis.ts', 'test/support/postgres.ts', 'test/support/programs.ts'],
    reporters: ['default', './test/support/closingLine.ts'],
    // Generous for slow machines: a deadline costs nothing in a test that passes.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // Files share one Redis, each with tenants of its own. Many of them mostly wait, so there are more workers than
    // the two cores of a small machine; many more would blur what tests time.
    maxWorkers: 3,
    // Files of a worker share the modules of the service: importing them takes longer than most files' tests. So a
    // fixture with hooks is a function, called by each test file.
    isolate: false,
    // A worker that ends while it passes on what was printed would fail the run. ioredis prints errors of connections to
    // sentinels, even after a client was closed.
    disableConsoleIntercept: true,
    sequence: { sequencer: LongFirst },
  },
});
