import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/redis.ts', 'test/support/postgres.ts'],
    reporters: ['default', './test/support/closingLine.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // Files share one Redis and keep apart by tenant; more at once than cores only blurs what is awaited.
    maxWorkers: 2,
  },
});
