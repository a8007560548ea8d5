import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Unit tests: fast, no chdb, no servers other than in-process ones. Part of `npm run check`. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/integration/**', 'test/.cache/**'],
    pool: 'forks',
    // Vitest leaves one core to itself, which on two cores is half of them.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
    testTimeout: 30_000,
  },
});
