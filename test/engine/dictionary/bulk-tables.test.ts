// Kernels over segments in memory beside their naive twins: what the pages hold, what is found, and how
// new keys are numbered, with one thread and with two.
import * as fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { BulkTables } from '../../../engine/dictionary/bulk-tables.ts';
import { placeSegment, type SegmentLevel } from '../../../engine/dictionary/kernel-segments.ts';
import { groupsOfHashes } from '../../../engine/dictionary/key-groups.ts';
import { segmentKeys } from '../../../engine/dictionary/key-packing.ts';
import { selectKeys } from '../../../engine/dictionary/key-selection.ts';
import { buildTable, tableShape } from '../../../storage-format/hash-table.ts';
import { hashKeys, type KeyList } from '../../../storage-format/key-list.ts';
import { packStrings, selectPacked } from '../../../storage-format/packed-keys.ts';
import {
  describeSegment,
  type SegmentKeys,
  writeSegment,
} from '../../../storage-format/segment-writer.ts';

const one = new BulkTables(1);
const two = new BulkTables(2);
afterAll(() => two.close());

function integers(count: number, first = 0): KeyList {
  const values = BigUint64Array.from({ length: count }, (_, i) =>
    BigInt.asUintN(64, BigInt(first + i) * 0x9e3779b97f4a7c15n),
  );
  return { domain: 'integer', values };
}

const strings = (count: number, prefix: string): KeyList => ({
  domain: 'string',
  values: Array.from({ length: count }, (_, i) => prefix.repeat(1 + (i % 3)) + i),
});

const packed = (keys: KeyList) => (keys.domain === 'integer' ? keys.values : packStrings(keys));

async function levelOf(keys: KeyList, group: number, base: number): Promise<SegmentLevel> {
  const written = writeSegment(keys);
  const description = describeSegment(written, { object: 'x', offset: 0 });
  const pieces = (async function* () {
    yield written.bytes.slice(0, 1000);
    yield written.bytes.slice(1000);
  })();
  const segment = await placeSegment(one.heap, { description, key: 'x', pieces });
  return { group, base, segment };
}

/** Keys of each group in two segments, one after the other. */
async function levelsOf(keys: KeyList, groups: number): Promise<readonly SegmentLevel[]> {
  const of = groupsOfHashes(hashKeys(keys), groups);
  const levels: SegmentLevel[] = [];
  for (let group = 0; group < groups; group++) {
    const at = Uint32Array.from([...of.keys()].filter((i) => of[i] === group));
    const cut = Math.floor(at.length / 3);
    for (const [part, base] of [
      [at.subarray(0, cut), 0],
      [at.subarray(cut), cut],
    ] as const) {
      if (part.length > 0) levels.push(await levelOf(selectKeys(keys, part), group, base));
    }
  }
  return levels;
}

describe.each([
  { domain: 'integer' as const, known: integers(36_000), strangers: integers(9_000, 1e6) },
  { domain: 'string' as const, known: strings(36_000, 'k'), strangers: strings(9_000, 'other') },
])('$domain keys', ({ domain, known, strangers }) => {
  const groups = 3;
  const all: KeyList =
    known.domain === 'integer' && strangers.domain === 'integer'
      ? { domain: 'integer', values: BigUint64Array.of(...known.values, ...strangers.values) }
      : ({ domain, values: [...known.values, ...strangers.values] } as KeyList);

  test.each([2_000, 3_000, 20_000])('pages of %i are what the naive twin builds', (count) => {
    const some = selectKeys(
      known,
      Uint32Array.from({ length: count }, (_, i) => i),
    );
    const { bytes, index } = writeSegment(some);
    const shape = tableShape(count, domain);
    const size = shape.pages * shape.pageBytes;
    const pages = bytes.slice(index.start - size, index.start);
    if (domain === 'integer') {
      expect(Buffer.compare(pages, buildTable(hashKeys(some), shape))).toBe(0);
      return;
    }
    const view = new Uint32Array(Uint8Array.from(pages).buffer);
    const at = new Uint32Array(count);
    for (let page = 0; page < shape.pages; page++) {
      for (let slot = 0; slot < shape.slots; slot++) {
        const word = (page * shape.pageBytes) / 4 + 4 * slot;
        if (view[word + 2] !== 0) at[view[word + 2]! - 1] = view[word + 3]!;
      }
    }
    const lengths = Uint32Array.from([...some.values].map((value) => String(value).length));
    const made = buildTable(hashKeys(some), shape, { at, lengths });
    expect(Buffer.compare(pages, made)).toBe(0);
  });

  test.each([
    { tables: one, name: 'one thread' },
    { tables: two, name: 'two threads' },
  ])('are told known from unknown as the twin does, $name', async ({ tables }) => {
    const levels = await levelsOf(known, groups);
    const found = await tables.probe({ domain, groups, levels, keys: packed(all) });
    const of = groupsOfHashes(hashKeys(all), groups);
    expect(found.groups).toEqual(of);
    const naive = new Int32Array(all.values.length).fill(-1);
    for (const { group, base, segment } of levels) {
      segment.loaded.findAll(all, hashKeys(all)).forEach((ordinal, i) => {
        if (ordinal >= 0 && of[i] === group) naive[i] = base + ordinal;
      });
    }
    const codes = Int32Array.from(found.codes, (code, i) => (found.known[i] === 1 ? code : -1));
    expect(codes).toEqual(naive);
    expect(naive.filter((code) => code < 0).length).toBe(strangers.values.length);
  });

  test.each([
    { tables: one, name: 'one thread' },
    { tables: two, name: 'two threads' },
  ])('that are new are numbered in order of arrival, doubles once, $name', async ({ tables }) => {
    const levels = await levelsOf(strangers, groups);
    const next = levels.reduce(
      (codes, { group, base, segment }) => codes.with(group, base + segment.loaded.count),
      new Array<number>(groups).fill(0),
    );
    const order = Uint32Array.from({ length: all.values.length + 500 }, (_, i) =>
      i < 500 ? 7 * i : i - 500,
    );
    const asked = selectKeys(all, order);
    const keys = packed(asked);
    const numbered = await tables.number({ domain, groups, levels, keys }, next);
    const expected = new Map<bigint | string, number>();
    const counts = [...next];
    asked.values.forEach((key, i) => {
      const group = numbered.groups[i]!;
      if (numbered.known[i] === 0 && !expected.has(key)) expected.set(key, counts[group]!++);
      if (numbered.known[i] === 0) expect(numbered.codes[i]).toBe(expected.get(key));
    });
    expect(expected.size).toBe(known.values.length);
    for (const { group, base, count, keys: fresh } of numbered.fresh) {
      expect([base, base + count]).toEqual([next[group], counts[group]]);
      const stored: SegmentKeys =
        fresh instanceof BigUint64Array
          ? { domain: 'integer', values: fresh }
          : { domain: 'string', packed: selectPacked(packStrings(asked as never), fresh) };
      const level = { ...(await placedOf(stored)), group, base };
      const again = await tables.probe({ domain, groups, levels: [level], keys });
      again.known.forEach((is, i) => {
        if (numbered.groups[i] !== group) return;
        expect(is).toBe(numbered.known[i] === 0 ? 1 : 0);
        if (is === 1) expect(again.codes[i]).toBe(numbered.codes[i]);
      });
    }
  });
});

async function placedOf(keys: SegmentKeys) {
  const written = writeSegment(keys);
  const description = describeSegment(written, { object: 'x', offset: 0 });
  const pieces = (async function* () {
    yield written.bytes;
  })();
  return { segment: await placeSegment(one.heap, { description, key: 'x', pieces }) };
}

type WrittenSegment = ReturnType<typeof writeSegment>;

test.each([1, 3, 255, 256, 257, 70_000])(
  '%i keys of no segments have groups only',
  async (count) => {
    for (const groups of [1, 5]) {
      // What lay there before is not told.
      const keys = integers(count, 7 * count);
      for (const tables of [one, two]) {
        const blot = tables.heap.take(32 * count);
        tables.heap.memory.u8(blot, 32 * count).fill(7);
        tables.heap.give(blot);
        const request = { domain: keys.domain, groups, levels: [], keys: packed(keys) };
        const found = await tables.probe(request);
        const wanted = groupsOfHashes(hashKeys(keys), groups);
        expect(Buffer.compare(bytesOf(found.groups), bytesOf(wanted))).toBe(0);
        expect(bytesOf(found.codes).every((byte) => byte === 0)).toBe(true);
        expect(found.known.every((is) => is === 0)).toBe(true);
      }
    }
  },
);

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Megabytes: bytes are compared as such. */
function expectSame(found: WrittenSegment, expected: WrittenSegment): void {
  const { bytes, ...facts } = found;
  const { bytes: wanted, ...others } = expected;
  expect(facts).toEqual(others);
  expect(Buffer.compare(bytes, wanted)).toBe(0);
}

describe.each([false, true])('pages that numbering filled, sealed: %s', (seal) => {
  test.each([1, 3])('are those that a writer makes, %i groups', async (groups) => {
    for (const keys of [integers(40_000), strings(40_000, 'p')]) {
      const { domain } = keys;
      const batch = packed(keys);
      const next = new Array<number>(groups).fill(0);
      const { fresh } = await two.number({ domain, groups, levels: [], keys: batch, seal }, next);
      expect(fresh.length).toBe(groups);
      for (const table of fresh) {
        expect(table.pages?.sealed !== undefined).toBe(seal && domain === 'integer');
        const stored = segmentKeys(keys, batch, table.keys);
        const own = writeSegment(stored);
        expectSame(writeSegment(stored, table.pages), own);
        table.close();
      }
    }
  });

  test('are made anew when somebody else has their memory', async () => {
    const keys = integers(40_000);
    const request = { domain: keys.domain, groups: 1, levels: [], keys: packed(keys), seal };
    const [table] = (await two.number(request, [0])).fresh;
    table?.close();
    expectSame(writeSegment(keys, table?.pages), writeSegment(keys));
  });
});

test('any strings are found and numbered as a Map would', async () => {
  const text = fc
    .string({ unit: 'binary', maxLength: 20 })
    .map((s) => Buffer.from(s).toString('latin1'));
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 1 }), async (values) => {
      const keys = packStrings({ domain: 'string', values });
      const { codes, fresh } = await one.number(
        { domain: 'string', groups: 1, levels: [], keys },
        [5],
      );
      const map = new Map<string, number>();
      for (const value of values) if (!map.has(value)) map.set(value, 5 + map.size);
      expect([...codes]).toEqual(values.map((value) => map.get(value)));
      expect(fresh[0]?.count).toBe(map.size);
    }),
    { numRuns: 100 },
  );
});
