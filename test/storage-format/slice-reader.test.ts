// Large sets read in part: how much is read, that it is right, and that damage of what is read is
// found while damage of the rest is none of the reader's business.

import { beforeAll, describe, expect, it } from 'vitest';
import type { CodeRange } from '../../storage-format/bitmap.ts';
import { setFromSorted, setToCodes } from '../../storage-format/bitmap.ts';
import { openPart, type PartIndex } from '../../storage-format/part-index.ts';
import { newCursor, setUnder, type SetVector } from '../../storage-format/set-vector.ts';
import { readSlices } from '../../storage-format/slice-reader.ts';
import { StoredSlices } from '../../storage-format/stored-slices.ts';
import { writeStripe } from '../../storage-format/stripe-writer.ts';
import { bitmapBlock, MemorySink } from './stripe-samples.ts';

const every = (step: number, count: number) =>
  Uint32Array.from({ length: count }, (_, i) => i * step);

/** Row 0: bitsets. 1: small. 2: one piece. 3: arrays. 4: nobody. 5: bitsets again. */
const rows = [every(2, 400_000), every(9, 40), every(2, 2500), every(40, 30_000), every(1, 0)];
rows.push(every(3, 300_000));

const codesEnd = 2 ** 32;
const inside = (codes: Uint32Array, ranges: readonly CodeRange[]) =>
  [...codes].filter((code) => ranges.some(({ start, end }) => start <= code && code < end));

function codesAt(vector: SetVector, row: number): Uint32Array {
  const cursor = newCursor();
  vector.locate(row, cursor);
  return setToCodes(setUnder(cursor));
}

/** Every large row at once, as unions take them. */
function membersOf(vector: SetVector): Set<number> {
  const found = new Set<number>();
  vector.spans!(0, vector.length, {
    flat: (codes, start, end) => {
      for (const code of codes.subarray(start, end)) found.add(code);
    },
    large: (set) => {
      for (const code of setToCodes(set)) found.add(code);
    },
  });
  return found;
}

describe.each(['with the index', 'apart'])('tables that are read %s', (where) => {
  // More of the same sets, so that tables are too long to be read along.
  const sets = where === 'apart' ? [...rows, ...Array(20).fill(rows[0])] : rows;
  const sink = new MemorySink();
  let index: PartIndex;
  let read: ReturnType<MemorySink['reader']>;

  beforeAll(async () => {
    const all = sets.map((codes: Uint32Array) => setFromSorted(codes));
    const [part] = (await writeStripe(bitmapBlock([all, all]), sink)).parts;
    read = sink.reader(part!.object);
    index = openPart(await read(part!.index), part!, 'the-key');
  });

  async function ask(into: StoredSlices, asked: readonly number[], within: readonly CodeRange[]) {
    const wanted = Int32Array.from(asked);
    const missing = into.missing(wanted, within);
    sink.reads = 0;
    sink.bytesRead = 0;
    const place = { columnId: 5, group: 1, rows: missing, within };
    if (missing.length > 0) await readSlices(index, place, { into, read });
    return into.within(wanted, within);
  }

  const tableReads = where === 'apart' ? 1 : 0;

  it('one code of a large set takes one container, and its table', async () => {
    const into = new StoredSlices(index.rows);
    const within = [{ start: 131_072, end: 196_608 }];
    const found = await ask(into, [0], within);
    expect([...codesAt(found, 0)]).toEqual(inside(rows[0]!, within));
    expect(sink.reads).toBe(1 + tableReads);
    expect(sink.bytesRead).toBeLessThan(8192 + 400);
    await ask(into, [0], within);
    expect(sink.reads).toBe(0);
    await ask(into, [0], [{ start: 200_000, end: 200_001 }]);
    expect([sink.reads, sink.bytesRead]).toEqual([1, 8192]);
  });

  it('two ranges together read no more than the whole, be it by two threads', async () => {
    const cut = 6 * 65_536;
    const halves = [
      { start: 0, end: cut },
      { start: cut, end: codesEnd },
    ];
    const bytes: number[] = [];
    for (const within of [[{ start: 0, end: codesEnd }], ...halves.map((half) => [half])]) {
      await ask(new StoredSlices(index.rows), [0, 5], within);
      bytes.push(sink.bytesRead);
    }
    const [whole, first, second] = bytes as [number, number, number];
    expect(first + second).toBeLessThan(1.05 * whole);
    expect(Math.max(first, second)).toBeLessThan(0.6 * whole);
  });

  it('all rows within any ranges are right, and so is what is read later', async () => {
    const into = new StoredSlices(index.rows);
    const asked = [0, 1, 2, 3, 4, 5];
    const ranges: readonly (readonly CodeRange[])[] = [
      [{ start: 100, end: 70_000 }],
      [
        { start: 0, end: 1 },
        { start: 262_144, end: 300_000 },
      ],
      [{ start: 500_000, end: codesEnd }],
    ];
    for (const within of ranges) {
      const found = await ask(into, asked, within);
      for (const row of asked) {
        expect(inside(codesAt(found, row), within)).toEqual(inside(rows[row]!, within));
      }
      const all = [...membersOf(found)].sort((a, b) => a - b);
      const expected = new Set(asked.flatMap((row) => inside(rows[row]!, within)));
      expect(inside(Uint32Array.from(all), within)).toEqual([...expected].sort((a, b) => a - b));
    }
    const wanted = Int32Array.from(asked);
    expect([...into.missing(wanted)]).toEqual([0, 3, 5]);
    const before = into.bytes;
    await readSlices(index, { columnId: 5, group: 1, rows: wanted }, { into, read });
    for (const row of asked) expect([...codesAt(into, row)]).toEqual([...rows[row]!]);
    expect(into.bytes).toBeGreaterThan(before);
    expect([...into.missing(wanted, ranges[0])]).toEqual([]);
    expect(into.within(wanted, ranges[0]!)).toBe(into);
  });

  it('two halves read together about what the whole takes', async () => {
    const asked = [0, 3, 5];
    const whole = new StoredSlices(index.rows);
    sink.bytesRead = 0;
    const place = { columnId: 5, group: 1, rows: Int32Array.from(asked) };
    await readSlices(index, place, { into: whole, read });
    const needed = sink.bytesRead;
    let halves = 0;
    for (const half of [
      { start: 0, end: 458_752 },
      { start: 458_752, end: codesEnd },
    ]) {
      await ask(new StoredSlices(index.rows), asked, [half]);
      expect(sink.bytesRead).toBeLessThan(0.8 * needed);
      halves += sink.bytesRead;
    }
    // The container in which neither range ends is in one of them alone; gaps of 16 KiB are read.
    expect(halves).toBeLessThanOrEqual(1.1 * needed + 16 * 1024);
  });

  it('a set of which nearly all is wanted is read whole', async () => {
    const into = new StoredSlices(index.rows);
    await ask(into, [5], [{ start: 65_536, end: codesEnd }]);
    expect(into.pieces(5)).toBeUndefined();
    expect([...into.missing(Int32Array.of(5))]).toEqual([]);
  });

  it('damage is found in what is read, and only there', async () => {
    const bytes = sink.objects.get('shared')!;
    const within = [{ start: 131_072, end: 131_073 }];
    const first = index.slices(5, 1)[0]!;
    const payload = index.part.offset + first.bodyAt + first.extents.largeAt;
    // 13 containers: 8 + 13 x 8 bytes of header, then containers of 8192 bytes.
    for (const [at, outcome] of [
      [payload + 5, 'right'],
      [payload + 112 + 8192 - 1, 'right'],
      [payload + 112 + 2 * 8192, 'corrupt'],
      [payload + 112 + 3 * 8192 - 1, 'corrupt'],
      [payload + 112 + 3 * 8192, 'right'],
    ] as const) {
      bytes[at]! ^= 4;
      const answer = ask(new StoredSlices(index.rows), [0], within);
      if (outcome === 'right') expect(inside(codesAt(await answer, 0), within)).toEqual([131_072]);
      else await expect(answer).rejects.toThrow(/corrupt part the-key: extent .* row 0, pieces/);
      bytes[at]! ^= 4;
    }
    if (tableReads === 0) return;
    const table = index.part.offset + index.directory.tablesAt + first.extents.tablesAt;
    bytes[table + 9]! ^= 1;
    const answer = ask(new StoredSlices(index.rows), [0], within);
    await expect(answer).rejects.toThrow(/corrupt part the-key: extent .* table, row 0/);
    bytes[table + 9]! ^= 1;
  });
});
