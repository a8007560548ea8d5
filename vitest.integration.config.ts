import { defineConfig } from 'vitest/config';

/** Integration tests: real ClickHouse (chdb), real processes, LocalStack. chdb needs forks. */
export default defineConfig({
  test: {
    include: ['test/integration/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/.cache/**'],
    pool: 'forks',
    maxWorkers: 2,
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
});
