// Runs of levels and of dictionary numbers (RLE and bit-packed, mixed), counted before they are decoded:
// hyparquet believes a run's length, and a damaged one would have it fill memory until the process dies.
//
//   run:  varint n << 1      value in (width + 7) / 8 bytes, n times
//         varint n << 1 | 1  n groups of 8 values, `width` bytes each

const fillingMax = 1024;

interface Range {
  readonly start: number;
  readonly end: number;
}

interface Limits {
  readonly width: number;
  readonly most: number;
}

/** Throws where the runs of a range are not `most` values, but for the filling of the last group. */
export function checkRuns(bytes: Uint8Array, range: Range, limits: Limits): void {
  const seen = countRuns(bytes, range, limits);
  if (seen < limits.most) throw new Error('runs of levels are cut off');
}

/** Throws where they are more: there may be fewer. */
export function checkRunLengths(bytes: Uint8Array, range: Range, limits: Limits): void {
  countRuns(bytes, range, limits);
}

function countRuns(bytes: Uint8Array, range: Range, { width, most }: Limits): number {
  let at = range.start;
  let seen = 0;
  while (seen < most && at < range.end) {
    let header = 0;
    for (let shift = 0; ; shift += 7) {
      if (at >= range.end || shift > 28) throw new Error('a run of levels is cut off');
      const byte = bytes[at++] as number;
      header += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    const isPacked = header % 2 === 1;
    const count = Math.floor(header / 2);
    seen += isPacked ? 8 * count : count;
    at += isPacked ? count * width : (width + 7) >> 3;
    // The last groups may be filled up: DuckDB packs many at once.
    if (seen > most + (isPacked ? fillingMax : 0))
      throw new Error('a run of levels is longer than its page');
  }
  return seen;
}

/** Bits that hold levels up to `max`. */
export function levelWidth(max: number): number {
  return 32 - Math.clz32(max);
}
