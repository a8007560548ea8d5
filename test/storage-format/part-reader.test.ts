// Stripes in their three shapes, written and read back through ranged reads.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { setFromSorted, setToCodes } from '../../storage-format/bitmap.ts';
import { openPart, type PartIndex } from '../../storage-format/part-index.ts';
import { readCardinalities, readScalars, readSets } from '../../storage-format/part-reader.ts';
import type { StripeBlock } from '../../storage-format/part-writer.ts';
import { setsOf } from '../../storage-format/set-vector.ts';
import { type StripeDescription, writeStripe } from '../../storage-format/stripe-writer.ts';
import { codeSets, edgeSets, sameCodes } from './code-samples.ts';
import { bitmapBlock, MemorySink, scalarBlock } from './stripe-samples.ts';

interface Written {
  readonly sink: MemorySink;
  readonly stripe: StripeDescription;
  readonly parts: readonly {
    readonly index: PartIndex;
    readonly read: ReturnType<MemorySink['reader']>;
  }[];
}

async function write(block: StripeBlock): Promise<Written> {
  const sink = new MemorySink();
  const stripe = await writeStripe(block, sink);
  const parts = await Promise.all(
    stripe.parts.map(async (part) => {
      const read = sink.reader(part.object);
      return { read, index: openPart(await read(part.index), part, part.object) };
    }),
  );
  sink.reads = 0;
  sink.bytesRead = 0;
  return { sink, stripe, parts };
}

async function expectBack(block: StripeBlock, written: Written): Promise<void> {
  const ids = [...block.scalars.keys()];
  for (const [at, { index, read }] of written.parts.entries()) {
    expect(await readScalars(index, ids, read)).toEqual(ids.map((id) => block.scalars.get(id)));
    const [first, count] = written.stripe.parts[at]!.groups;
    for (let group = first; group < first + count; group++) {
      for (const [columnId, sets] of block.sets) {
        const expected = setsOf(sets[group]!).map(setToCodes);
        const found = await readSets(index, { columnId, group }, read);
        expect(
          setsOf(found)
            .map(setToCodes)
            .every((codes, i) => sameCodes(codes, expected[i]!)),
        ).toBe(true);
        const counts = await readCardinalities(index, { columnId, group }, read);
        expect([...counts]).toEqual(expected.map((codes) => codes.length));
        expect(index.maxCode(columnId, group)).toBe(
          expected.reduce((max, codes) => Math.max(max, codes.at(-1) ?? -1), -1),
        );
      }
    }
  }
}

/** `rows` slices in each of `groups` groups; group g holds code + g. */
function spread(groups: number, rows: number, codes: (row: number) => Uint32Array) {
  return Array.from({ length: groups }, (_, group) =>
    Array.from({ length: rows }, (_row, row) =>
      setFromSorted(codes(row).map((code) => Math.min(code + group, 2 ** 32 - 1))),
    ),
  );
}

const sequence = (count: number, step: number) =>
  Uint32Array.from({ length: count }, (_, i) => i * step);

describe('a stripe', () => {
  it('is unsplit when small, and one read brings everything', async () => {
    const block = bitmapBlock(spread(4, 10, (row) => sequence(row * 8, 1000)));
    const written = await write(block);
    expect(written.stripe.shape).toBe('unsplit');
    await expectBack(block, written);
    expect(written.sink.reads).toBe(0);
  });

  it('is one part with a batch per group when larger', async () => {
    const block = bitmapBlock(spread(3, edgeSets.length, (row) => edgeSets[row]!.slice(0, 5000)));
    const written = await write(block);
    expect(written.stripe.shape).toBe('batches');
    expect(written.stripe.parts).toHaveLength(1);
    await expectBack(block, written);
  });

  it('is an object per group when large', async () => {
    const block = bitmapBlock(
      spread(2, 60, (row) => (row % 7 === 3 ? sequence(900_000, 5) : sequence(row * 60, 7))),
    );
    const written = await write(block);
    expect(written.stripe.shape).toBe('objects');
    expect(written.stripe.parts.map((part) => part.object)).toEqual(['group-0', 'group-1']);
    await expectBack(block, written);
  });

  it('comes back whatever its sets are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(codeSets, { minLength: 1, maxLength: 8 }),
        async (groups, rows) => {
          const block = bitmapBlock(spread(groups, rows.length, (row) => distinct(rows[row]!)));
          await expectBack(block, await write(block));
        },
      ),
      { numRuns: 40 },
    );
  });

  it.each([1, 40, 3_000, 34_000])('holds %i rows of every scalar type', async (rows) => {
    const block = scalarBlock(rows);
    const written = await write(block);
    await expectBack(block, written);
    expect(written.stripe.zones.get(1)).toEqual({
      min: Uint8Array.of(1, 0, 0, 0, 0),
      max: Uint8Array.of(1, 0, (rows - 1) >> 16, ((rows - 1) >> 8) & 255, (rows - 1) & 255),
      hasNulls: false,
    });
    expect(written.stripe.keyMin).toEqual(written.stripe.zones.get(1)!.min);
    expect(written.stripe.keyMax).toEqual(written.stripe.zones.get(1)!.max);
  });

  it('counts members and bytes of each group', async () => {
    const { stripe } = await write(bitmapBlock(spread(2, 3, (row) => sequence(row * 10, 3))));
    expect(stripe.groups).toEqual([
      { bytes: 120, cardinality: 30 },
      { bytes: 120, cardinality: 30 },
    ]);
  });
});

const mixedCodes = (row: number) => sequence(row % 40 === 5 ? 60_000 : 40 + (row % 90), 3);

describe('reading', () => {
  const rows = 400;

  it('answers keys and counts from the index, and a set by its own extents', async () => {
    const { sink, parts } = await write(bitmapBlock(spread(2, rows, mixedCodes)));
    const { index, read } = parts[0]!;
    await readScalars(index, [1], read);
    expect(index.cardinality(5, 1)![45]).toBe(60_000);
    expect(sink.reads).toBe(0);
    const [large, none, small] = setsOf(
      await readSets(index, { columnId: 5, group: 1, rows: Int32Array.of(45, -1, 44) }, read),
    );
    expect(
      sameCodes(
        setToCodes(large!),
        mixedCodes(45).map((code) => code + 1),
      ),
    ).toBe(true);
    expect(setToCodes(none!)).toHaveLength(0);
    expect(
      sameCodes(
        setToCodes(small!),
        mixedCodes(44).map((code) => code + 1),
      ),
    ).toBe(true);
    expect(sink.reads).toBe(2);
    expect(sink.bytesRead).toBeLessThan(200_000);
  });

  it('reads cardinalities in a round of their own when they outgrow the index', async () => {
    const block = bitmapBlock(spread(2, 200_000, (row) => sequence((row % 300) + 1, 2)));
    const written = await write(block);
    const { index, read } = written.parts.at(-1)!;
    const group = written.stripe.parts.at(-1)!.groups[0];
    expect(index.cardinality(5, group)).toBeUndefined();
    const counts = await readCardinalities(index, { columnId: 5, group }, read);
    expect(counts[199_999]).toBe((199_999 % 300) + 1);
    const place = { columnId: 5, group, rows: Int32Array.of(99_999) };
    const [set] = setsOf(await readSets(index, place, read));
    expect(setToCodes(set!)).toHaveLength((99_999 % 300) + 1);
    expect(index.bytesHeld).toBeLessThan(1_000_000);
  });
});

/** Adding a group's number keeps codes distinct below the last ones. */
function distinct(codes: Uint32Array): Uint32Array {
  return codes.filter((code) => code < 2 ** 32 - 8);
}
