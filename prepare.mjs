// What `npm ci` does last: puts `muster` where npx looks first. A `bin` in package.json would do it too, but
// then npx installs the checkout into a cache of its own, building it once more, before it runs anything.

import { chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(fileURLToPath(import.meta.url));
const program = path.join(root, 'dist', 'functions', 'main.js');
const commands = path.join(root, 'node_modules', '.bin');

if (process.platform !== 'win32') {
  const link = path.join(commands, 'muster');
  mkdirSync(commands, { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(path.relative(commands, program), link);
  chmodSync(program, 0o755);
}
