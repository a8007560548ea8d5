// Half-open byte ranges, the only way this code speaks of a piece of an object.

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export function rangeLength(range: ByteRange): number {
  return range.end - range.start;
}
