// Bitmap columns as they are written and read: per group, each row's slice is a set of 32-bit
// codes. Tiny sets stay flat (CSR: offsets and sorted codes), large ones are roaring bitmaps; a
// tiny set never becomes an object. See SPEC.md, "Bitmap columns".

import type { SliceBitmap } from './bitmap.ts';

/** One slice of one set, in memory: sorted unique codes, or a bitmap (immutable once here). */
export type CodeSet = Uint32Array | SliceBitmap;

/** The slices of one group for a run of rows of one bitmap column; row i is sets[i]. */
export type CodeSets = readonly CodeSet[];

/** Above this many codes a slice is stored as a roaring payload, at or below as flat codes. */
export const smallCardinalityMax = 2048;
