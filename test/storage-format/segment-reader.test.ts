// Dictionary segments: every key is found, no other is, and keys come back by ordinal.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashKeys, type KeyList } from '../../storage-format/key-list.ts';
import { loadSegment } from '../../storage-format/loaded-segment.ts';
import { lookupKeys } from '../../storage-format/segment-lookup.ts';
import { decodeKeys, openSegment } from '../../storage-format/segment-reader.ts';
import { describeSegment, writeSegment } from '../../storage-format/segment-writer.ts';
import { MemorySink } from './stripe-samples.ts';

async function write(keys: KeyList) {
  const sink = new MemorySink();
  const written = writeSegment(keys);
  const segment = describeSegment(written, sink.packed(written.bytes));
  const read = sink.reader(segment.object);
  const index = openSegment(await read(segment.index), segment, 'segment');
  const whole = await read({ start: segment.offset, end: segment.offset + segment.bytes });
  sink.reads = 0;
  sink.bytesRead = 0;
  const opened = async () => openSegment(await read(segment.index), segment, 'segment');
  const source = { segment, key: 'segment', read, index: opened };
  return { sink, segment, read, index, whole, source };
}

function integers(count: number, first = 0): KeyList {
  const values = BigUint64Array.from({ length: count }, (_, i) =>
    BigInt.asUintN(64, BigInt(first + i) * 0x9e3779b97f4a7c15n),
  );
  return { domain: 'integer', values };
}

function strings(count: number, prefix = 'key'): KeyList {
  const values = Array.from({ length: count }, (_, i) => `${prefix} ${i}`);
  return { domain: 'string', values };
}

function uuids(count: number): KeyList {
  const values = Array.from({ length: count }, (_, i) => String(i).padStart(16, '\0'));
  return { domain: 'uuid', values };
}

const list = (keys: readonly bigint[]): KeyList => ({
  domain: 'integer',
  values: BigUint64Array.from(keys),
});

const one = (keys: KeyList, i: number): KeyList =>
  keys.domain === 'integer'
    ? { domain: keys.domain, values: keys.values.slice(i, i + 1) }
    : { domain: keys.domain, values: keys.values.slice(i, i + 1) };

const edges = [0n, 1n, 2n ** 53n + 1n, 2n ** 63n, 2n ** 64n - 1n];

async function expectFound(keys: KeyList, absent: KeyList): Promise<void> {
  const { index, read, segment, whole, source } = await write(keys);
  const count = keys.values.length;
  const all = Int32Array.from({ length: count }, (_, i) => i);
  const none = new Int32Array(absent.values.length).fill(-1);
  expect(await lookupKeys(source, { keys, hashes: hashKeys(keys) })).toEqual(all);
  expect(await lookupKeys(source, { keys: absent, hashes: hashKeys(absent) })).toEqual(none);
  const ordinals = Uint32Array.from([count - 1, 0, count >> 1]);
  const picked = [...ordinals].map((i) => keys.values[i]);
  expect([...(await decodeKeys(index, ordinals, read)).values]).toEqual(picked);
  const loaded = loadSegment(whole, segment, 'segment');
  expect(loaded.findAll(keys, hashKeys(keys))).toEqual(all);
  expect(loaded.findAll(absent, hashKeys(absent))).toEqual(none);
  expect([...loaded.decode(ordinals).values]).toEqual(picked);
  expect(loaded.keys()).toEqual(keys);
}

describe('a segment', () => {
  it.each([1, 2, 3, 255, 256, 257, 5_000, 40_000, 210_000])('finds %i integers', async (count) => {
    await expectFound(integers(count, 7), integers(500, 1_000_000));
  });

  it('finds the edges of the integers', async () => {
    await expectFound({ domain: 'integer', values: BigUint64Array.from(edges) }, integers(20, 5));
  });

  it.each([1, 300, 30_000])('finds %i strings', async (count) => {
    await expectFound(strings(count), strings(300, 'other'));
  });

  it('finds strings that are empty, long, binary or nearly alike', async () => {
    const values = ['', '\0', '\0\0', 'x'.repeat(300_000), '\xff\xfe', 'a', 'aa', '12345678'];
    const absent = ['\0\0\0', 'b', '123456789', 'x'.repeat(299_999)];
    await expectFound({ domain: 'string', values }, { domain: 'string', values: absent });
  });

  it('finds UUIDs', async () => {
    const absent: KeyList = { domain: 'uuid', values: ['no such uuid 0123'.slice(0, 16)] };
    await expectFound(uuids(20_000), absent);
  });

  it('finds any set of keys', async () => {
    const pattern = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(pattern, { minLength: 1 }),
        fc.array(pattern),
        async (a, b) => {
          const absent = b.filter((key) => !a.includes(key));
          await expectFound(list(a), list(absent));
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('the cost of looking up', () => {
  it('is one page for an integer, known or not, and nothing else', async () => {
    const keys = integers(100_000);
    const { sink, source } = await write(keys);
    for (const [key, ordinal] of [
      [one(keys, 77_777), 77_777],
      [integers(1, 500_000), -1],
    ] as const) {
      sink.reads = 0;
      sink.bytesRead = 0;
      expect([...(await lookupKeys(source, { keys: key, hashes: hashKeys(key) }))]).toEqual([
        ordinal,
      ]);
      expect([sink.reads, sink.bytesRead]).toEqual([1, 4096]);
    }
  });

  it('is a page and its own bytes for a string or UUID', async () => {
    for (const keys of [strings(100_000), uuids(100_000)]) {
      const { sink, source } = await write(keys);
      const known = one(keys, 5);
      const found = await lookupKeys(source, { keys: known, hashes: hashKeys(known) });
      expect([...found]).toEqual([5]);
      expect(sink.reads).toBe(2);
      expect(sink.bytesRead).toBeLessThanOrEqual(4096 + 16);
    }
  });

  it('is the whole of a small segment', async () => {
    const keys = strings(100);
    const { sink, source } = await write(keys);
    await lookupKeys(source, { keys, hashes: hashKeys(keys) });
    expect(sink.reads).toBe(1);
  });

  it('is what many ascending codes need: runs of neighbours, runs with gaps, and no others', async () => {
    const keys = integers(100_000);
    const { sink, index, read } = await write(keys);
    const [, second = 0, third = 0] = index.runStarts;
    const last = index.runStarts.at(-1) ?? 0;
    const whole = Array.from({ length: third - second + 2 }, (_, i) => second - 1 + i);
    for (const some of [whole, [0, second, second + 7, last, 99_999], [3], []]) {
      const decoded = await decodeKeys(index, Uint32Array.from(some), read);
      expect([...decoded.values]).toEqual(some.map((at) => keys.values[at]));
    }
    sink.bytesRead = 0;
    await decodeKeys(index, Uint32Array.from(whole), read);
    expect(sink.bytesRead).toBeLessThanOrEqual(8 * (third + second) + 1024);
  });

  it('is one read to decode a key of an opened segment', async () => {
    const { sink, index, read } = await write(integers(100_000));
    await decodeKeys(index, Uint32Array.of(50_000), read);
    expect(sink.reads).toBe(1);
    expect(sink.bytesRead).toBeLessThanOrEqual(64 * 1024);
  });
});
