import { defineConfig } from 'vitest/config';

/** Unit tests: fast, no chdb, no servers other than in-process ones. Part of `npm run check`. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/integration/**', 'test/.cache/**'],
    pool: 'forks',
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
    testTimeout: 30_000,
  },
});
