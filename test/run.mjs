// `npm test`: everything, on one machine, from a fresh clone.
//
// Installs what the tests need if it is missing (prerequisites.mjs), builds, bundles, runs
// `npm run check`, starts LocalStack and MiniStack, runs the integration tests against them, stops
// them in every case, and ends with the line `N passed, N failed`. Any failure makes the exit
// status 1.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { node22Folder, runsNode22 } from '../infra/node22.mjs';
import { startMiniStack } from '../localstack/start-ministack.mjs';
import { startLocalStack } from '../localstack/start.mjs';
import { ensureBrowser, packagesAreCurrent } from './prerequisites.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const reports = mkdtempSync(path.join(tmpdir(), 'muster-test-'));

let stopped = false;
let runningChild;
const emulators = [];

async function main() {
  process.once('SIGINT', () => void stop(130));
  process.once('SIGTERM', () => void stop(143));
  const steps = [
    () => installPackages('test'),
    () => installPackages('infra'),
    browser,
    () => step('npm', ['run', 'build']),
    () => step('npm', ['run', 'bundle']),
    check,
    integration,
  ];
  const results = [];
  for (const next of steps) results.push(await next());
  report(results);
}

const nothing = { ok: true, passed: 0, failed: 0 };

function refusal(error) {
  console.error(`\n${error.message}`);
  return { ok: false, passed: 0, failed: 1 };
}

/** A step that is not itself a run of tests counts as one failed test when it fails. */
async function step(command, commandArguments, options = {}) {
  console.log(`\n> ${command} ${commandArguments.join(' ')}`);
  const status = await run(command, commandArguments, options);
  return { ok: status === 0, passed: 0, failed: status === 0 ? 0 : 1 };
}

async function installPackages(folder) {
  const cwd = path.join(root, folder);
  if (packagesAreCurrent(cwd)) return nothing;
  return await step('npm', ['ci'], { cwd });
}

async function browser() {
  try {
    await ensureBrowser((command, commandArguments) => run(command, commandArguments, {}));
    return nothing;
  } catch (error) {
    return refusal(error);
  }
}

async function check() {
  const { reporters, numbers } = jsonReport('check');
  const result = await step('npm', ['run', 'check', '--', ...reporters]);
  return numbers(result);
}

async function integration() {
  try {
    const [localStack, miniStack] = await startEmulators();
    const { reporters, numbers } = jsonReport('integration');
    const vitest = ['vitest', 'run', '--config', 'vitest.integration.config.ts', ...reporters];
    const env = {
      MUSTER_TEST_S3_ENDPOINT: localStack.endpoint,
      MUSTER_TEST_LAMBDA_ENDPOINT: miniStack.endpoint,
      MUSTER_TEST_LAMBDA_RUNTIME: runsNode22 ? 'node22' : 'local',
    };
    return numbers(await step('npx', vitest, { env }));
  } catch (error) {
    return refusal(error);
  } finally {
    for (const emulator of emulators) {
      await emulator.stop();
      console.log(`\n${emulator.name} is stopped`);
    }
  }
}

async function startEmulators() {
  const starts = {
    LocalStack: startLocalStack,
    // Functions run on Lambda's Node, whatever this is, where there is one.
    MiniStack: () => startMiniStack(runsNode22 ? { nodeFolder: node22Folder() } : {}),
  };
  for (const [name, start] of Object.entries(starts)) {
    const emulator = await start();
    emulators.push({ name, ...emulator });
    const { endpoint, version, pid } = emulator;
    console.log(`\n${name} ${version} is running at ${endpoint} (pid ${pid})`);
  }
  return emulators;
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
  for (const emulator of emulators) await emulator.stop();
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
