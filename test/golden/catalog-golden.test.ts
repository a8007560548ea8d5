import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openCatalog } from '../../catalog/catalog.ts';
import { decodeHead } from '../../catalog/head.ts';
import { decodePage } from '../../catalog/page.ts';
import { MemoryStore } from '../../object-store/memory-store.ts';
import { type DataType, formatType } from '../../storage-format/data-type.ts';
import { decodeCatalogObject } from '../catalog/second-decoder/object.ts';
import { fillSession } from '../engine/queries/corpus.ts';
import { Session } from '../engine/queries/session.ts';
import { headSamples, innerSamples, leafSamples } from './catalog-samples.ts';

const folder = new URL('catalog-1/', import.meta.url);

const bytesOf = (name: string) => new Uint8Array(readFileSync(new URL(`${name}.bin`, folder)));

/** As the second decoder gives it: types by their names. */
function plain(value: unknown, field = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => plain(item));
  if (typeof value !== 'object' || value === null) return value;
  if (field === 'type') return formatType(value as DataType);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one, name)]));
}

describe('golden heads', () => {
  it.each(Object.entries(headSamples))('%s', (name, sample) => {
    const bytes = bytesOf(name);
    const head = decodeHead(bytes, name);
    expect({ ...head, tail: head.tail.map(({ record }) => record) }).toEqual(sample);
    expect(decodeCatalogObject(bytes)).toEqual(plain({ kind: 'head', ...sample }));
  });
});

const numbers = { format: 1, minReader: 1, minWriter: 1 };

describe('golden pages', () => {
  it.each(Object.entries(leafSamples))('%s', (name, sample) => {
    const bytes = bytesOf(name);
    expect(decodePage(bytes, name)).toEqual({ kind: 'leaf', ...sample });
    const rows = sample.rows.map(({ value }) => value);
    expect(decodeCatalogObject(bytes)).toEqual(
      plain({ kind: 'leaf', numbers, space: sample.space, rows }),
    );
  });

  it.each(Object.entries(innerSamples))('%s', (name, sample) => {
    const bytes = bytesOf(name);
    expect(decodePage(bytes, name)).toEqual({ kind: 'inner', ...sample });
    expect(decodeCatalogObject(bytes)).toEqual(plain({ kind: 'inner', numbers, ...sample }));
  });
});

it('both decoders agree about every head and page that a working store writes', async () => {
  const store = new MemoryStore();
  const limits = { tailFoldBytes: 500, leafRowsMax: 3, rootBytesMax: 300 };
  const catalog = await openCatalog(store, { limits });
  await fillSession(await Session.open({ store, catalog }), 3, 'sparse');
  const { objects } = await store.list({ prefix: 'catalog/', max: 1_000 });
  const kinds = new Set<string>();
  for (const { key } of objects) {
    const bytes = new Uint8Array((await store.read(key))!.bytes);
    const second = decodeCatalogObject(bytes);
    kinds.add(second.kind);
    if (second.kind === 'head') {
      const head = decodeHead(bytes, key);
      const tail = head.tail.map(({ record }) => record);
      expect(second).toEqual(plain({ kind: 'head', ...head, tail }));
      continue;
    }
    const page = decodePage(bytes, key);
    const rows = page.kind === 'leaf' ? { rows: page.rows.map(({ value }) => value) } : {};
    expect(second).toEqual(plain({ numbers, ...page, ...rows }));
  }
  expect([...kinds].sort()).toEqual(['head', 'inner', 'leaf']);
});

it('has a sample for every golden file', () => {
  const names = readdirSync(folder).map((name) => name.replace(/\.bin$/, ''));
  const samples = [headSamples, leafSamples, innerSamples].flatMap((one) => Object.keys(one));
  expect(names.sort()).toEqual(samples.sort());
});
