import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { afterAll, expect, test } from 'vitest';
import { openSources, Peekable } from '../../../../functions/cli/load/byte-source.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-byte-source-'));
afterAll(() => rmSync(folder, { recursive: true }));

const rows = Buffer.from(Array.from({ length: 100_000 }, (_, i) => `${i},${i * 7919}\n`).join(''));
const small = Buffer.from('1\n');

function file(name: string, bytes: Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

async function read(path: string) {
  const sources: { name: string; inner: string; bytes: Buffer }[] = [];
  let counted = 0;
  for await (const source of openSources(path, (bytes) => (counted += bytes))) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of source.bytes) chunks.push(chunk);
    const name = source.name.replace(`${folder}/`, '');
    sources.push({ name, inner: source.inner, bytes: Buffer.concat(chunks) });
  }
  return { sources, counted };
}

test('plain files and gzip, whatever they are called', async () => {
  for (const [name, bytes] of [
    ['plain.csv', rows],
    ['packed.csv.gz', gzipSync(rows)],
    ['packed.csv', gzipSync(rows)],
    ['empty.csv', Buffer.alloc(0)],
  ] as const) {
    const { sources, counted } = await read(file(name, bytes));
    expect(sources).toHaveLength(1);
    expect(sources[0]?.bytes.equals(name === 'empty.csv' ? bytes : rows)).toBe(true);
    expect(counted).toBe(bytes.length);
    expect(sources[0]?.inner.endsWith('.csv')).toBe(true);
  }
});

test('each entry of a zip, without folders and what macOS adds', async () => {
  const zip = zipSync({
    'a/one.csv': rows,
    'a/empty.csv': new Uint8Array(0),
    '__MACOSX/a/._one.csv': small,
    'two.tsv': [small, { level: 0 }],
  });
  const { sources, counted } = await read(file('all.zip', zip));
  expect(sources.map(({ name, inner }) => [name, inner])).toEqual([
    ['all.zip/a/one.csv', 'a/one.csv'],
    ['all.zip/a/empty.csv', 'a/empty.csv'],
    ['all.zip/two.tsv', 'two.tsv'],
  ]);
  expect(sources.map(({ bytes }) => bytes.length)).toEqual([rows.length, 0, 2]);
  expect(sources[0]?.bytes.equals(rows)).toBe(true);
  expect(counted).toBeGreaterThan(zip.length / 2);
});

test('an entry that is not read is skipped', async () => {
  const path = file('skipped.zip', zipSync({ 'one.csv': rows, 'two.csv': small }));
  const names: string[] = [];
  for await (const { inner } of openSources(path, () => undefined)) names.push(inner);
  expect(names).toEqual(['one.csv', 'two.csv']);
});

test('damaged and cut off files are said to be so', async () => {
  const packed = gzipSync(rows);
  const zip = zipSync({ 'one.csv': rows });
  await expect(read(file('cut.gz', packed.subarray(0, 5000)))).rejects.toThrow(
    /gzip data of .*cut/,
  );
  await expect(read(file('cut.zip', zip.subarray(0, 5000)))).rejects.toThrow(/zip data of .*cut/);
  const damaged = Uint8Array.from(zip);
  damaged.fill(0xff, 2000, 3000);
  await expect(read(file('damaged.zip', damaged))).rejects.toThrow(/zip data of/);
  const directory = Buffer.from(zip).indexOf(Buffer.from('PK\u0001\u0002'));
  const change = (offset: number, value: number): Uint8Array => {
    const changed = Uint8Array.from(zip);
    changed[directory + offset] = value;
    return changed;
  };
  await expect(read(file('method.zip', change(10, 99)))).rejects.toThrow(/packed by method 99/);
  await expect(read(file('locked.zip', change(8, 1)))).rejects.toThrow(
    /encrypted.*unpack it first/,
  );
  await expect(read(file('checksum.zip', change(16, 0)))).rejects.toThrow(/damaged/);
  await expect(read(file('directory.zip', change(1, 0)))).rejects.toThrow(/damaged/);
});

test('what was looked at is read all the same', async () => {
  async function* chunks() {
    for (let i = 0; i < 10; i++) yield Buffer.from([i]);
  }
  const bytes = new Peekable(chunks());
  expect(await bytes.peek(3)).toEqual(Buffer.from([0, 1, 2]));
  expect(await bytes.peek(2)).toEqual(Buffer.from([0, 1, 2]));
  expect((await bytes.peek(99)).length).toBe(10);
  const all: number[] = [];
  for await (const chunk of bytes) all.push(...chunk);
  expect(all).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});
