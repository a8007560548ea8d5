import { describe, expect, it } from 'vitest';
import { columnKind, parseResult } from '../../console/result.ts';

describe('a result', () => {
  it('keeps every digit of 64-bit integers', () => {
    const text =
      '{"meta":[{"name":"n","type":"UInt64"}],"data":[["18446744073709551615"]],"rows":1}';
    expect(parseResult(text).rows).toEqual([['18446744073709551615']]);
  });

  it.each([
    ['UInt64', 'integer'],
    ['Nullable(Int8)', 'integer'],
    ['Float64', 'fraction'],
    ['Decimal(9, 2)', 'fraction'],
    ['LowCardinality(Nullable(String))', 'category'],
    ["Enum8('a' = 1)", 'category'],
    ['Date', 'time'],
    ["DateTime64(3, 'UTC')", 'time'],
    ['AggregateFunction(groupBitmap, UInt64)', 'state'],
    ['SimpleAggregateFunction(sum, UInt64)', 'integer'],
    ['Array(UInt64)', 'other'],
    ['Tuple(Date, UInt8)', 'other'],
  ])('%s is %s', (type, kind) => {
    expect(columnKind(type)).toBe(kind);
  });
});
