import { describe, expect, it } from 'vitest';
import { columnBuilder, columnOf } from '../../../engine/values/column-builder.ts';
import { valueParser } from '../../../engine/values/value-parser.ts';
import { type TextStyle, valuePrinter } from '../../../engine/values/value-printer.ts';
import type { DataType } from '../../../storage-format/data-type.ts';

const context = { timeZone: 'UTC' };
const uint8: DataType = { kind: 'UInt8' };
const string: DataType = { kind: 'String' };
const array = (item: DataType): DataType => ({ kind: 'Array', item });
const nullable = (inner: DataType): DataType => ({ kind: 'Nullable', inner });
const color: DataType = {
  kind: 'Enum8',
  members: [
    { name: 'red', value: 1 },
    { name: 'blue', value: -2 },
  ],
};

function roundTrip(type: DataType, text: string, style: TextStyle = 'plain'): string {
  const builder = columnBuilder(type);
  valueParser(type, context)(text, builder);
  return valuePrinter(type, context, style)(builder.finish(), 0);
}

describe('texts that print as they were read', () => {
  const cases: readonly (readonly [DataType, string])[] = [
    [uint8, '255'],
    [{ kind: 'Int8' }, '-128'],
    [{ kind: 'UInt64' }, '18446744073709551615'],
    [{ kind: 'Int64' }, '-9223372036854775808'],
    [{ kind: 'Float64' }, '100000000000000000000'],
    [{ kind: 'Float64' }, '1e21'],
    [{ kind: 'Float64' }, '1e-7'],
    [{ kind: 'Float64' }, '-0'],
    [{ kind: 'Float64' }, 'nan'],
    [{ kind: 'Float64' }, '-inf'],
    [{ kind: 'Float32' }, '0.1'],
    [{ kind: 'Float32' }, '3.4e38'],
    [{ kind: 'Bool' }, 'true'],
    [{ kind: 'Date' }, '2149-06-06'],
    [{ kind: 'DateTime' }, '2106-02-07 06:28:15'],
    [{ kind: 'DateTime', timeZone: 'Asia/Tokyo' }, '2020-01-01 00:00:00'],
    [{ kind: 'DateTime64', precision: 6 }, '1969-12-31 23:59:59.500001'],
    [{ kind: 'DateTime64', precision: 0 }, '2299-12-31 23:59:59'],
    [color, 'blue'],
    [array(uint8), '[]'],
    [array(nullable(string)), "['it\\'s',NULL,'a\\tb']"],
    [array(array({ kind: 'Int64' })), '[[-1],[],[2,3]]'],
    [{ kind: 'Tuple', fields: [{ type: uint8 }, { type: color }] }, "(1,'red')"],
    [nullable({ kind: 'Date' }), 'NULL'],
  ];
  it.each(cases)('%j %s', (type, text) => {
    expect(roundTrip(type, text)).toBe(text);
  });
});

describe('texts that mean something else than they look', () => {
  const cases: readonly (readonly [DataType, string, string])[] = [
    [uint8, '256', '0'],
    [{ kind: 'Int8' }, '-129', '127'],
    [{ kind: 'UInt64' }, '18446744073709551616', '0'],
    [{ kind: 'Bool' }, 'Yes', 'true'],
    [{ kind: 'Date' }, '2020-02-30', '2020-03-01'],
    [{ kind: 'Date' }, '1960-01-01', '1970-01-01'],
    [{ kind: 'Date' }, '20200203', '2020-02-03'],
    [{ kind: 'DateTime' }, '1577836800', '2020-01-01 00:00:00'],
    [{ kind: 'DateTime' }, '2020-01-01T01:02:03Z', '2020-01-01 01:02:03'],
    [{ kind: 'DateTime' }, '2020-01-01 01:02:03 +0200', '2019-12-31 23:02:03'],
    [{ kind: 'DateTime' }, '02/03/2020 01:02', '2020-03-02 01:02:00'],
    [{ kind: 'DateTime' }, '2200-01-01 00:00:00', '2106-02-07 06:28:15'],
    [{ kind: 'DateTime64', precision: 3 }, '1577836800123', '2020-01-01 00:00:00.123'],
    [color, '1', 'red'],
  ];
  it.each(cases)('%j %s', (type, text, printed) => {
    expect(roundTrip(type, text)).toBe(printed);
  });
});

describe('texts that are refused', () => {
  const cases: readonly (readonly [DataType, string, number])[] = [
    [uint8, '', 32],
    [uint8, '-1', 72],
    [uint8, '1.5', 6],
    [uint8, ' 1', 6],
    [{ kind: 'Float64' }, '0x10', 6],
    [{ kind: 'Bool' }, '2', 467],
    [{ kind: 'Date' }, 'abc', 38],
    [{ kind: 'DateTime' }, '2020-02-30 00:00:00', 41],
    [{ kind: 'DateTime' }, 'abc', 41],
    [color, 'green', 691],
    [array(uint8), '[1', 6],
  ];
  it.each(cases)('%j %s', (type, text, code) => {
    expect(() => roundTrip(type, text)).toThrow(expect.objectContaining({ code }));
  });
});

it('escapes what TabSeparated escapes, and marks NULL', () => {
  const column = columnOf(nullable(string), ["a\t'\\\n", null]);
  const print = valuePrinter(nullable(string), context, 'escaped');
  expect([print(column, 0), print(column, 1)]).toEqual(["a\\t\\'\\\\\\n", '\\N']);
});
