import { describe, expect, it } from 'vitest';
import { formatType } from '../../storage-format/data-type.ts';
import { parseType } from '../../storage-format/data-type-parser.ts';

const canonical = (name: string) => formatType(parseType(name));

describe('parseType', () => {
  it('takes canonical names and prints them back', () => {
    const names = [
      'UInt64',
      'Int8',
      'Float32',
      'Bool',
      'String',
      'Date',
      'DateTime',
      "DateTime('Europe/Berlin')",
      'DateTime64(3)',
      "DateTime64(6, 'UTC')",
      "Enum8('a' = -1, 'it\\'s' = 2)",
      'Array(Nullable(Int32))',
      'LowCardinality(Nullable(String))',
      'Tuple(UInt8, String)',
      'Tuple(a UInt8, b Array(String))',
      'AggregateFunction(groupBitmap, UInt64)',
      'AggregateFunction(groupBitmap, String)',
    ];
    for (const name of names) expect(formatType(parseType(name))).toBe(name);
  });

  it('takes aliases, spaces and defaults', () => {
    expect(canonical(' LowCardinality ( String ) ')).toBe('LowCardinality(String)');
    expect(canonical('bigint')).toBe('Int64');
    expect(canonical('VARCHAR(255)')).toBe('String');
    expect(canonical("Enum8('a', 'b' = 7, 'c')")).toBe("Enum8('a' = 1, 'b' = 7, 'c' = 8)");
    expect(canonical('DateTime64')).toBe('DateTime64(3)');
  });

  it.each([
    ['UInt128', 'UInt128'],
    ['Sting', "Maybe you meant: ['String']"],
    ['Decimal(10, 2)', 'Decimal'],
    ['Nullable(Array(UInt8))', 'inside Nullable'],
    ['DateTime64(12)', 'precision 12'],
    ["Enum8('a' = 300)", '300'],
    ['AggregateFunction(uniq, UInt64)', 'uniq'],
    ['AggregateFunction(groupBitmap, Float64)', 'Float64'],
    ['Array(UInt8', "expected ')'"],
    ['UInt8)', "unexpected ')'"],
    ['', 'missing'],
    ['Array('.repeat(70), 'nested deeper'],
  ])('refuses %s as error 50', (name, says) => {
    expect(() => parseType(name)).toThrow(says);
    expect(() => parseType(name)).toThrow(expect.objectContaining({ code: 50 }));
  });
});
