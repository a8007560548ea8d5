// Several processes over one directory store: one winner a name, whole bodies only, and nothing
// left of processes that were killed. The processes run what `npm run build` made.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { DirectoryStore } from '../../object-store/directory-store.ts';

const built = (file: string) => new URL(`../../dist/${file}`, import.meta.url).href;
const names = 40;
const bodyBytes = 50_000;

/** Creates `race/0`, `race/1` ... each filled with its own digit; says when it begins and what it won. */
const script = `
  const { DirectoryStore } = await import(${JSON.stringify(built('object-store/directory-store.js'))});
  const { systemClock } = await import(${JSON.stringify(built('base/clock.js'))});
  const [, root, digit, count] = process.argv;
  const store = await DirectoryStore.open(root, systemClock);
  console.log('ready');
  const won = [];
  for (let i = 0; i < Number(count); i++) {
    const { outcome } = await store.create('race/' + i, Buffer.alloc(${bodyBytes}, digit));
    if (outcome === 'created') won.push(i);
  }
  console.log(JSON.stringify(won));
`;

function start(root: string, digit: number, count: number): ChildProcess {
  const given = ['--input-type=module', '-e', script, root, String(digit), String(count)];
  return spawn(process.execPath, given, { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function wonBy(child: ChildProcess): Promise<readonly number[]> {
  let text = '';
  child.stdout?.on('data', (chunk) => {
    text += String(chunk);
  });
  await new Promise((resolve) => child.once('close', resolve));
  const won: unknown = JSON.parse(text.trim().split('\n').at(-1) ?? '');
  return Array.isArray(won) ? won.map(Number) : [];
}

let root: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'muster-processes-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function bodies(store: DirectoryStore): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const { key } of (await store.list({ prefix: 'race/', max: 10_000 })).objects) {
    const text = new TextDecoder().decode((await store.read(key))?.bytes);
    expect(text).toBe((text[0] ?? '?').repeat(bodyBytes));
    found.set(key, text[0] ?? '?');
  }
  return found;
}

it('one of eight processes wins each name, and its body is what is there', async () => {
  const children = Array.from({ length: 8 }, (_, digit) => start(root, digit, names));
  const won = await Promise.all(children.map(wonBy));
  const winners = won.flatMap((list, digit) => list.map((name) => ({ name, digit })));
  expect(winners).toHaveLength(names);
  const found = await bodies(await DirectoryStore.open(root, systemClock));
  expect(found.size).toBe(names);
  for (const { name, digit } of winners) expect(found.get(`race/${name}`)).toBe(String(digit));
});

it('leaves whole objects and no staging files behind processes killed at any moment', async () => {
  for (let round = 0; round < 12; round++) {
    const child = start(root, round % 10, 100_000);
    const closed = new Promise((resolve) => child.once('close', resolve));
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    await delay(round * 7);
    child.kill('SIGKILL');
    await closed;
  }
  const store = await DirectoryStore.open(root, systemClock);
  expect(await readdir(path.join(root, '.tmp'))).toEqual([]);
  expect((await bodies(store)).size).toBeGreaterThan(0);
});
