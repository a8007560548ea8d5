// `npm test`: everything, on one machine, from a fresh clone.
//
// Installs the oracle and the clients of test/package.json if they are missing, builds, runs
// `npm run check`, starts LocalStack, runs the integration tests against it, stops it in every
// case, and ends with the line `N passed, N failed`. Any failure makes the exit status 1.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startLocalStack } from '../localstack/start.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const reports = mkdtempSync(path.join(tmpdir(), 'muster-test-'));

let stopped = false;
let runningChild;
let localStack;

async function main() {
  process.once('SIGINT', () => void stop(130));
  process.once('SIGTERM', () => void stop(143));
  const results = [await installTestPackages()];
  for (const next of [() => step('npm', ['run', 'build']), check, integration]) {
    results.push(await next());
  }
  report(results);
}

/** A step that is not itself a run of tests counts as one failed test when it fails. */
async function step(command, commandArguments, options = {}) {
  console.log(`\n> ${command} ${commandArguments.join(' ')}`);
  const status = await run(command, commandArguments, options);
  return { ok: status === 0, passed: 0, failed: status === 0 ? 0 : 1 };
}

async function installTestPackages() {
  const lock = path.join(root, 'test', 'package-lock.json');
  const installed = path.join(root, 'test', 'node_modules', '.package-lock.json');
  const current = existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs;
  if (current) return { ok: true, passed: 0, failed: 0 };
  return await step('npm', ['ci'], { cwd: path.join(root, 'test') });
}

async function check() {
  const { reporters, numbers } = jsonReport('check');
  const result = await step('npm', ['run', 'check', '--', ...reporters]);
  return numbers(result);
}

async function integration() {
  try {
    localStack = await startLocalStack();
  } catch (error) {
    console.error(`\n${error.message}`);
    return { ok: false, passed: 0, failed: 1 };
  }
  const { endpoint, version, pid } = localStack;
  console.log(`\nLocalStack ${version} is running at ${endpoint} (pid ${pid})`);
  try {
    const { reporters, numbers } = jsonReport('integration');
    const vitest = ['vitest', 'run', '--config', 'vitest.integration.config.ts', ...reporters];
    const result = await step('npx', vitest, { env: { MUSTER_TEST_S3_ENDPOINT: endpoint } });
    return numbers(result);
  } finally {
    await localStack.stop();
    console.log('\nLocalStack is stopped');
  }
}

/** Vitest's own numbers; a run that failed without a failed test counts as one. */
function jsonReport(name) {
  const file = path.join(reports, `${name}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const numbers = (result) => {
    if (!existsSync(file)) return result;
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(file, 'utf8'));
    const failed = result.ok ? numFailedTests : Math.max(1, numFailedTests);
    return { ok: result.ok, passed: numPassedTests, failed };
  };
  return { reporters, numbers };
}

function run(command, commandArguments, { cwd = root, env = {} }) {
  return new Promise((resolve) => {
    const child = spawn(command, commandArguments, {
      cwd,
      // A process group of its own: npm and npx don't pass signals on to what they started.
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ...env },
    });
    runningChild = child;
    child.once('error', (error) => {
      console.error(`${command}: ${error.message}`);
      resolve(1);
    });
    child.once('exit', (status) => {
      runningChild = undefined;
      resolve(status ?? 1);
    });
  });
}

async function stop(status) {
  if (stopped) return;
  stopped = true;
  if (runningChild?.pid !== undefined) process.kill(-runningChild.pid, 'SIGKILL');
  await localStack?.stop();
  rmSync(reports, { recursive: true, force: true });
  process.exit(status);
}

function report(results) {
  rmSync(reports, { recursive: true, force: true });
  const sum = (field) => results.reduce((total, result) => total + result[field], 0);
  const failed = sum('failed');
  if (failed > 0 || results.some((result) => !result.ok)) process.exitCode = 1;
  console.log(`\n${sum('passed')} passed, ${failed} failed`);
}

await main();
