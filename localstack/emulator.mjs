// What LocalStack and MiniStack have in common: a Python package in a virtual environment of its own
// under localstack/, pinned, started on a free port, with its state in a temporary folder that goes
// when it stops. The child dies with its parent, however the parent dies: by stop(), by exit, or by the
// kernel's hand.

import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const readyTimeoutMs = 120_000;
const stopTimeoutMs = 2_000;

/**
 * @typedef {object} Emulator
 * @property {string} name
 * @property {string} module Run as `python -m` would.
 * @property {string} requirements A file of localstack/, all versions pinned.
 * @property {string} venv A folder of localstack/.
 * @property {(port: number, state: string) => Record<string, string>} environment
 * @property {(endpoint: string) => Promise<string | undefined>} runningVersion Once it is ready.
 */

/**
 * Resolves when the emulator answers. `stop` ends the whole process group and never throws.
 * @param {Emulator} emulator
 * @returns {Promise<{endpoint: string, version: string, pid: number, stop: () => Promise<void>}>}
 */
export async function startEmulator(emulator) {
  const python = installEmulator(emulator);
  const port = await freePort();
  // Not under the repository: code that is unpacked there would find its packages.
  const state = mkdtempSync(path.join(tmpdir(), `muster-${emulator.name.toLowerCase()}-`));
  const child = spawn(python, ['-c', launcher(emulator.module)], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...emulator.environment(port, state) },
  });
  const log = collectLog(child);
  const killNow = () => {
    killGroup(child, 'SIGKILL');
    rmSync(state, { recursive: true, force: true });
  };
  process.once('exit', killNow);
  const stop = async () => {
    await stopGroup(child);
    process.off('exit', killNow);
    rmSync(state, { recursive: true, force: true });
  };
  const endpoint = `http://127.0.0.1:${port}`;
  try {
    const version = await ready(emulator, endpoint, child);
    return { endpoint, version, pid: child.pid, stop };
  } catch (error) {
    await stop();
    throw new Error(`${error.message}\n${log().slice(-4000)}`, { cause: error });
  }
}

/** For `node localstack/start-*.mjs`: runs until Ctrl-C. */
export async function runEmulator(name, start) {
  const { endpoint, version, pid, stop } = await start();
  console.log(`${name} ${version} at ${endpoint}, pid ${pid}; Ctrl-C stops it`);
  const end = () => {
    void stop().then(() => process.exit(0));
  };
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
}

/** Makes the virtual environment if it is missing or its pins have changed; gives its python. */
function installEmulator({ name, venv, requirements }) {
  const folder = path.join(here, venv);
  const list = path.join(here, requirements);
  const python = path.join(folder, 'bin', 'python');
  const stamp = path.join(folder, 'installed');
  const pins = createHash('sha256').update(readFileSync(list)).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === pins) return python;
  const systemPython = findPython(name);
  console.log(`${name}: installing into localstack/${venv} (once, about half a minute)`);
  const noVenv = installHint(name, `${systemPython} -m venv failed`);
  run(systemPython, ['-m', 'venv', '--clear', folder], noVenv);
  const pipArguments = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  run(python, [...pipArguments, '-r', list], `pip could not install ${name}`);
  writeFileSync(stamp, pins);
  return python;
}

/** PR_SET_PDEATHSIG (1): a parent that is killed outright can't stop anybody. */
function launcher(module) {
  return `
import ctypes, runpy, signal, sys
if sys.platform == 'linux':
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
runpy.run_module('${module}', run_name='__main__')
`;
}

function findPython(emulator) {
  const check = 'import sys, venv, ensurepip; sys.exit(0 if sys.version_info >= (3, 10) else 3)';
  const names = ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10'];
  const found = names.map((name) => ({ name, result: spawnSync(name, ['-c', check]) }));
  const good = found.find(({ result }) => result.status === 0);
  if (good !== undefined) return good.name;
  const present = found.find(({ result }) => result.error === undefined);
  if (present === undefined) throw new Error(installHint(emulator, 'python3 was not found'));
  if (present.result.status === 3) {
    throw new Error(installHint(emulator, `${present.name} is older than 3.10`));
  }
  throw new Error(installHint(emulator, `${present.name} lacks the modules venv and ensurepip`));
}

function installHint(emulator, problem) {
  return (
    `${emulator} needs Python 3.10 or later with venv, but ${problem}. ` +
    'On Debian or Ubuntu: apt-get install python3 python3-venv. ' +
    'On macOS: brew install python@3.12. Then run the tests again.'
  );
}

function run(command, commandArguments, problem) {
  const result = spawnSync(command, commandArguments, { encoding: 'utf8' });
  if (result.status === 0) return;
  const output = `${result.stdout ?? ''}${result.stderr ?? ''}`.slice(-4000);
  throw new Error(`${problem}\n${output}${result.error?.message ?? ''}`);
}

function collectLog(child) {
  let text = '';
  const take = (chunk) => {
    text = (text + chunk).slice(-20_000);
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  return () => text;
}

async function ready(emulator, endpoint, child) {
  const deadline = Date.now() + readyTimeoutMs;
  while (Date.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`${emulator.name} ended at start (${child.signalCode ?? child.exitCode})`);
    }
    const version = await emulator.runningVersion(endpoint).catch(() => undefined);
    if (version !== undefined) return version;
    await delay(200);
  }
  throw new Error(`${emulator.name} was not ready within ${readyTimeoutMs / 1000} s`);
}

async function stopGroup(child) {
  killGroup(child, 'SIGTERM');
  const deadline = Date.now() + stopTimeoutMs;
  while (groupLives(child) && Date.now() < deadline) await delay(50);
  killGroup(child, 'SIGKILL');
}

function groupLives(child) {
  return killGroup(child, 0);
}

function killGroup(child, signal) {
  if (child.pid === undefined) return false;
  try {
    process.kill(-child.pid, signal);
    return true;
  } catch {
    return false;
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
