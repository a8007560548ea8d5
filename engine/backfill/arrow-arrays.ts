// Arrays of Arrow as a file gives them, held against their own buffers: as long as they say, offsets
// ascending and inside, numbers of a dictionary within it. What passes can be read without looking back.

import { notArrow } from './arrow-metadata.ts';

/** What is read of an array, whatever its type. */
export interface ArrowArray {
  readonly length: number;
  readonly offset: number;
  readonly nullCount: number;
  readonly nullBitmap: Uint8Array | undefined;
  readonly values: ArrayLike<number | bigint> | undefined;
  readonly valueOffsets: ArrayLike<number | bigint> | undefined;
  readonly children: readonly ArrowArray[];
  readonly dictionary?: { readonly data: readonly ArrowArray[] } | undefined;
}

export type ArrowKind =
  | { readonly of: 'number' | 'wide' | 'bool' | 'bytes' | 'days' }
  | { readonly of: 'list'; readonly item: ArrowKind }
  | { readonly of: 'dictionary'; readonly inner: ArrowKind };

/** INCORRECT_DATA. `rows`: as many as are needed at least. */
export function checkArrowArray(
  array: ArrowArray | undefined,
  kind: ArrowKind,
  rows: number,
): void {
  if (array === undefined || array.length < rows) throw notArrow('a column is too short');
  const { length, offset, nullCount, nullBitmap, values } = array;
  if (nullCount !== 0 && 8 * (nullBitmap?.length ?? 0) < offset + length) {
    throw notArrow('too few bits that say which values are missing');
  }
  const have = values?.length ?? 0;
  switch (kind.of) {
    case 'bool':
      return checkLength(8 * have, offset + length);
    case 'bytes':
      return void lastOffset(array, have);
    case 'list': {
      const items = array.children[0];
      return checkArrowArray(items, kind.item, lastOffset(array, items?.length ?? 0));
    }
    case 'dictionary': {
      checkLength(have, length);
      const parts = array.dictionary?.data ?? [];
      if (parts.length !== 1) throw notArrow('a dictionary in several pieces');
      checkArrowArray(parts[0], kind.inner, 0);
      return checkNumbers(array, parts[0]?.length ?? 0);
    }
    default:
      return checkLength(have, length);
  }
}

function checkLength(have: number, wanted: number): void {
  if (have < wanted) throw notArrow(`${have} of ${wanted} values`);
}

/** Where the last value ends, at most at `end`. */
function lastOffset({ length, valueOffsets }: ArrowArray, end: number): number {
  if (length === 0) return 0;
  if (valueOffsets === undefined || valueOffsets.length <= length) throw notArrow('few offsets');
  let before = 0;
  for (let i = 0; i <= length; i++) {
    const at = Number(valueOffsets[i]);
    if (at < before || at > end) throw notArrow(`value ${i} ends at ${at}, of ${end}`);
    before = at;
  }
  return before;
}

/** Of a dictionary with `size` entries; those of missing values may be any. */
function checkNumbers({ values, length, offset, nullCount, nullBitmap }: ArrowArray, size: number) {
  for (let i = 0; i < length; i++) {
    const number = Number(values?.[i]);
    if (number >= 0 && number < size) continue;
    const bit = offset + i;
    const isMissing = nullCount !== 0 && (((nullBitmap?.[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 0;
    if (!isMissing) throw notArrow(`entry ${number} of a dictionary of ${size}`);
  }
}
