// What the tests need besides Muster's own packages: the oracle and the clients of test/package.json,
// Node 22 of infra/package.json, and a browser. Each is installed when it is missing.

import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';

/** The folder's packages are as its lock file says. */
export function packagesAreCurrent(folder) {
  const lock = path.join(folder, 'package-lock.json');
  const installed = path.join(folder, 'node_modules', '.package-lock.json');
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs;
}

const browserNames = ['chromium', 'chromium-browser', 'google-chrome'];

/**
 * Chromium, for tests of the page. An Error with one sentence where it can't be had.
 * @param {(command: string, commandArguments: string[]) => Promise<number>} run
 */
export async function ensureBrowser(run) {
  const found = browserNames.find(
    (name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0,
  );
  if (found !== undefined) return;
  const hasApt = spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).status === 0;
  if (!hasApt || process.getuid?.() !== 0) {
    throw new Error(
      'The tests of the page need Chromium: install it (Debian: sudo apt-get install chromium; ' +
        "elsewhere: your system's package) and run the tests again",
    );
  }
  await run('apt-get', ['update']);
  const status = await run('apt-get', ['install', '--yes', '--no-install-recommends', 'chromium']);
  if (status !== 0) throw new Error('apt-get could not install chromium: see its output above');
}
