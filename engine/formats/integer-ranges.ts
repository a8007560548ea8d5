// The integer types to 32 bits with what they hold.

import type { IntegerRange } from './integer-text.ts';

const ranges: readonly IntegerRange[] = [
  { name: 'Int8', min: -128, max: 127 },
  { name: 'Int16', min: -32768, max: 32767 },
  { name: 'Int32', min: -2147483648, max: 2147483647 },
  { name: 'UInt8', min: 0, max: 255 },
  { name: 'UInt16', min: 0, max: 65535 },
  { name: 'UInt32', min: 0, max: 4294967295 },
];

export const integerRanges: ReadonlyMap<string, IntegerRange> = new Map(
  ranges.map((range) => [range.name, range]),
);
