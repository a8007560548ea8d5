// The command line as people run it: the built program, over a directory.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtMain as main } from './places.ts';

let directory: string;
const running: ChildProcess[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'muster-serve-'));
});

afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  await rm(directory, { recursive: true });
});

interface Served {
  readonly child: ChildProcess;
  readonly port: number;
  readonly output: string;
}

function run(...flags: string[]): { readonly child: ChildProcess; readonly said: () => string } {
  const child = spawn(process.execPath, [main, ...flags], { cwd: directory });
  running.push(child);
  let said = '';
  child.stdout.on('data', (chunk) => (said += chunk));
  child.stderr.on('data', (chunk) => (said += chunk));
  return { child, said: () => said };
}

async function serve(...flags: string[]): Promise<Served> {
  const { child, said } = run('serve', '--port', '0', ...flags);
  for (let i = 0; i < 1000 && !said().includes('Stop with Ctrl-C.'); i++) {
    if (child.exitCode !== null) throw new Error(`serve ended: ${said()}`);
    await delay(20);
  }
  const port = Number(/listens on http:\/\/127\.0\.0\.1:(\d+)/.exec(said())?.[1]);
  return { child, port, output: said() };
}

async function refused(...flags: string[]): Promise<string> {
  const { child, said } = run(...flags);
  const [code] = (await once(child, 'close')) as [number];
  expect(code).not.toBe(0);
  expect(said().trim().split('\n').length, said()).toBe(1);
  return said();
}

async function ask(port: number, query: string, body = ''): Promise<string> {
  const url = `http://127.0.0.1:${port}/?query=${encodeURIComponent(query)}`;
  const reply = await fetch(url, { method: 'POST', body });
  return await reply.text();
}

const create = `CREATE TABLE IF NOT EXISTS t (tag String,
  users AggregateFunction(groupBitmap, UInt64)) ENGINE = AggregatingMergeTree ORDER BY tag`;
const count = 'SELECT tag, groupBitmapMerge(users) FROM t GROUP BY tag ORDER BY tag';

describe('serve', () => {
  test('says how to ask, keeps what it is given, stops on SIGTERM', async () => {
    const first = await serve('--data', './kept');
    expect(first.output).toMatch(/curl http:\/\/127\.0\.0\.1:\d+\//);
    expect(first.output).toContain('@clickhouse/client');
    expect(await ask(first.port, create)).toBe('');
    const rows = '{"tag":"a","users":[1,2,3]}\n{"tag":"b","users":[3]}\n';
    expect(await ask(first.port, 'INSERT INTO t FORMAT JSONEachRow', rows)).toBe('');
    expect(await ask(first.port, count)).toBe('a\t3\nb\t1\n');
    first.child.kill('SIGTERM');
    expect(await once(first.child, 'close')).toEqual([0, null]);

    const again = await serve('--data', './kept', '--worker-processes', '2');
    expect(again.output).toContain('2 worker processes');
    expect(await ask(again.port, count)).toBe('a\t3\nb\t1\n');
    again.child.kill('SIGINT');
    expect(await once(again.child, 'close')).toEqual([0, null]);
  });

  test('a client that goes away in an insert leaves nothing behind', async () => {
    const { child, port } = await serve('--data', './gone');
    await ask(port, create);
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    const rows = '{"tag":"a","users":[1,2,3]}\n'.repeat(5000);
    socket.write(
      'POST /?query=INSERT+INTO+t+FORMAT+JSONEachRow HTTP/1.1\r\nHost: x\r\n' +
        `Transfer-Encoding: chunked\r\n\r\n${rows.length.toString(16)}\r\n${rows}\r\n`,
    );
    await delay(200);
    socket.destroy();
    await delay(200);
    expect(await ask(port, count)).toBe('');
    expect(await ask(port, 'INSERT INTO t FORMAT JSONEachRow', rows)).toBe('');
    expect(await ask(port, count)).toBe('a\t3\n');
    child.kill('SIGTERM');
    await once(child, 'close');
  });
});

describe('refusals are one sentence and a non-zero exit', () => {
  test('a busy port', async () => {
    const { child, port } = await serve('--data', './busy');
    const said = await refused('serve', '--port', String(port), '--data', './other');
    expect(said).toMatch(new RegExp(`^muster: Port ${port} of 127\\.0\\.0\\.1 is in use`));
    child.kill('SIGTERM');
    await once(child, 'close');
  });

  test('an address that is not loopback', async () => {
    expect(await refused('serve', '--host', '0.0.0.0')).toMatch(/refused without users/);
  });

  test("somebody else's directory", async () => {
    const foreign = join(directory, 'foreign');
    await mkdir(join(foreign, 'catalog'), { recursive: true });
    await writeFile(join(foreign, 'catalog', 'notes.txt'), 'mine');
    await writeFile(join(foreign, 'thesis.doc'), 'mine');
    const said = await refused('serve', '--port', '0', '--data', foreign);
    expect(said).toMatch(/foreign/);
  });

  test('a store that is none', async () => {
    expect(await refused('serve', '--port', '0', '--store', 's3:/x')).toMatch(/is not a store/);
  });
});

test('version and help', async () => {
  const version = run('version');
  await once(version.child, 'close');
  expect(version.said()).toMatch(/^\d+\.\d+\.\d+\.\d+ muster \d+\.\d+\.\d+\n$/);
  const help = run('--help');
  await once(help.child, 'close');
  expect(help.said()).toMatch(/muster COMMAND --help/);
});
