// What bundles begin with. They are ES modules, and some packages in them are CommonJS ones, which call
// `require` while they run.

export const requireBanner = [
  "import { createRequire as musterCreateRequire } from 'node:module';",
  'const require = musterCreateRequire(import.meta.url);',
].join('\n');
