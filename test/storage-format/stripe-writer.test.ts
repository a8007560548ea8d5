// Which shape a stripe gets, and how much of it is in memory while it is written.
import { describe, expect, it } from 'vitest';
import { encodePortable, setFromSorted } from '../../storage-format/bitmap.ts';
import { writePart } from '../../storage-format/part-writer.ts';
import { type StripeSink, writeStripe } from '../../storage-format/stripe-writer.ts';
import { bitmapBlock } from './stripe-samples.ts';

const sequence = (count: number, step: number) =>
  setFromSorted(Uint32Array.from({ length: count }, (_, i) => i * step));

/** Remembers sizes only. */
class SizeSink implements StripeSink {
  readonly packedBytes: number[] = [];
  readonly chunkBytes: number[] = [];

  packed(part: Uint8Array) {
    this.packedBytes.push(part.length);
    return { object: 'shared', offset: 0 };
  }

  object(group: number) {
    return {
      object: `group ${group}`,
      write: async (bytes: Uint8Array) => {
        this.chunkBytes.push(bytes.length);
      },
      finish: async () => undefined,
    };
  }
}

describe('the shape of a stripe', () => {
  it.each([
    ['unsplit', 1_500, 1],
    ['batches', 3_000, 5],
    ['objects', 200_000, 50],
  ] as const)('is %s for rows of %i codes', async (shape, codes, rows) => {
    const sink = new SizeSink();
    const set = sequence(codes, 7);
    const group = Array.from({ length: rows }, () => set);
    const stripe = await writeStripe(bitmapBlock([group, group]), sink);
    expect(stripe.shape).toBe(shape);
    expect(stripe.parts).toHaveLength(shape === 'objects' ? 2 : 1);
    for (const bytes of sink.packedBytes) {
      expect(bytes).toBeLessThan(shape === 'unsplit' ? 72 * 1024 : 9 * 2 ** 20);
    }
  });
});

describe('writing', () => {
  it('holds one row group and one large bitmap at a time', async () => {
    const sink = new SizeSink();
    const large = sequence(2_500_000, 3);
    const size = encodePortable(large).length;
    const group = Array.from({ length: 60 }, () => large);
    await writeStripe(bitmapBlock([group]), sink);
    const total = sink.chunkBytes.reduce((sum, bytes) => sum + bytes, 0);
    expect(total).toBeGreaterThan(60 * size);
    expect(Math.max(...sink.chunkBytes)).toBeLessThan(16 * 2 ** 20 + size);
  });

  it('cuts the same rows in every group', () => {
    const rows = 70_000;
    const group = Array.from({ length: rows }, (_, row) => Uint32Array.of(row));
    const block = bitmapBlock([group, group]);
    const rowGroups = [
      { start: 0, end: 32_768 },
      { start: 32_768, end: rows },
    ];
    const steps = writePart({ block, shape: 'batches', groups: [0, 2], rowGroups });
    let step = steps.next();
    while (step.done !== true) step = steps.next();
    expect(step.value.batches).toHaveLength(4);
  });
});
