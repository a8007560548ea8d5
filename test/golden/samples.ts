// What the golden files hold: deterministic stripes and segments, one of every form that the format
// has. A sample never changes once its file is written; new forms get new samples.
import { setFromSorted } from '../../storage-format/bitmap.ts';
import type { KeyList } from '../../storage-format/key-list.ts';
import type { PartPlan, StripeBlock } from '../../storage-format/part-writer.ts';
import { bitmapBlock, scalarBlock } from '../storage-format/stripe-samples.ts';

const sequence = (count: number, first: number, step: number) =>
  setFromSorted(Uint32Array.from({ length: count }, (_, i) => first + i * step));

/** Codes with uneven gaps: `count` of them. */
const uneven = (count: number) =>
  setFromSorted(Uint32Array.from({ length: count }, (_, i) => i * 30 + (i % 5)));

function plan(block: StripeBlock, shape: PartPlan['shape'], cuts: readonly number[]): PartPlan {
  const ends = [...cuts, block.rows];
  const rowGroups = ends.map((end, i) => ({ start: i === 0 ? 0 : ends[i - 1]!, end }));
  const groups = shape === 'objects' ? ([1, 1] as const) : ([0, block.groups] as const);
  return { block, shape, groups, rowGroups };
}

const edges = [
  sequence(0, 0, 1),
  sequence(1, 2 ** 32 - 1, 1),
  sequence(2, 65_535, 1),
  sequence(2_048, 1, 3),
  sequence(2_049, 1, 3),
  sequence(4_097, 9, 2),
  sequence(65_536, 65_536, 1),
];

const bitmaps = bitmapBlock([edges, edges.toReversed(), edges.map(() => sequence(3, 1, 40_000))]);
const small = bitmapBlock([0, 1, 2].map((g) => [0, 1, 2, 3].map((r) => sequence(r * 3, g, 700))));
const pieces = bitmapBlock([[sequence(1, 0, 1)], [uneven(135_000)]]);

export const partSamples: Readonly<Record<string, PartPlan>> = {
  'part-unsplit': plan(small, 'unsplit', []),
  'part-unsplit-row-groups': plan(small, 'unsplit', [3]),
  'part-batches': plan(bitmaps, 'batches', []),
  'part-batches-row-groups': plan(bitmaps, 'batches', [1, 5]),
  'part-object': plan(bitmaps, 'objects', [2]),
  'part-object-pieces': plan(pieces, 'objects', []),
  'part-scalars': plan(scalarBlock(40), 'unsplit', []),
  'part-scalars-batches': plan(scalarBlock(300), 'batches', [120]),
};

const integers = (count: number): KeyList => ({
  domain: 'integer',
  values: BigUint64Array.from({ length: count }, (_, i) =>
    BigInt.asUintN(64, BigInt(i - 2) * 0x2545f4914f6cdd1dn),
  ),
});

const strings = (count: number): KeyList => ({
  domain: 'string',
  values: Array.from({ length: count }, (_, i) => (i === 0 ? '' : `N${i * 37}`)),
});

export const segmentSamples: Readonly<Record<string, KeyList>> = {
  'segment-integers-small': integers(5),
  'segment-integers': integers(1_500),
  'segment-strings-small': { domain: 'string', values: ['a', '\0', '\xff\xfe', 'x'.repeat(40)] },
  'segment-strings': strings(700),
  'segment-uuids': {
    domain: 'uuid',
    values: Array.from({ length: 20 }, (_, i) => String.fromCharCode(i * 12).repeat(16)),
  },
};
