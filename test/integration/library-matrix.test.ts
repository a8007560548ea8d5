// Operators over every pair of types and their edge values, whole columns at a time: values and
// types against ClickHouse's. An error must be one on both sides.

import { describe, expect, it } from 'vitest';
import { askClickHouse, clickHouseSql, oursOf } from './library-oracle.ts';

const edges: Readonly<Record<string, readonly string[]>> = {
  Int8: ['-128', '-1', '0', '1', '7', '127'],
  Int16: ['-32768', '-3', '0', '5', '32767'],
  Int32: ['-2147483648', '-1', '0', '2', '2147483647'],
  Int64: ['-9223372036854775808', '-9007199254740993', '-1', '0', '3', '9223372036854775807'],
  UInt8: ['0', '1', '7', '128', '255'],
  UInt16: ['0', '3', '65535'],
  UInt32: ['0', '10', '2147483648', '4294967295'],
  UInt64: ['0', '1', '9007199254740993', '9223372036854775808', '18446744073709551615'],
  Float32: ['-1.5', '0', '2.5', '16777216'],
  Float64: ['-1.5', '0', '0.1', '9007199254740992', '1e20'],
  'Nullable(Int32)': ['NULL', '-7', '0', '9'],
  String: ['', 'a', 'B', 'ab', '10', "it's", 'é'],
  'LowCardinality(String)': ['', 'a', 'ab'],
  Date: ['1970-01-01', '2020-02-29', '2105-12-31'],
  "DateTime('UTC')": ['1970-01-01 00:00:00', '2020-02-29 23:59:59', '2106-02-07 06:28:15'],
  "DateTime('America/New_York')": ['2020-03-08 07:30:00', '2020-11-01 05:30:00'],
  "DateTime64(3, 'UTC')": ['1969-12-31 23:59:59.500', '2020-02-29 12:00:00.123'],
  'Array(UInt8)': ['[]', '[1]', '[1,2,2]', '[255,0]'],
};
const numbers = Object.keys(edges).slice(0, 11);
const integers = numbers.slice(0, 8);

function differences(expression: string, types: readonly string[]): string[] {
  const columns = types.map((type, k) => ({ name: 'abc'.charAt(k), type }));
  let rows: string[][] = [[]];
  for (const type of types) {
    rows = rows.flatMap((row) => (edges[type] ?? []).map((value) => [...row, value]));
  }
  const table = { columns, rows };
  const theirs = askClickHouse(clickHouseSql(expression, table)).split('\n');
  const ours = oursOf(expression, table).split('\n');
  if (theirs[0]?.startsWith('error') === true && ours[0]?.startsWith('error') === true) return [];
  const found: string[] = [];
  theirs.forEach((line, i) => {
    if (line === ours[i] || found.length > 3) return;
    found.push(
      `${expression} of ${types.join(', ')} at ${rows[i]?.join(', ')}: ours ${ours[i]}, ClickHouse's ${line}`,
    );
  });
  return found;
}

function pairs(a: readonly string[], b: readonly string[]): [string, string][] {
  return a.flatMap((x) => b.map((y): [string, string] => [x, y]));
}

describe('pairs of numbers', () => {
  const operators = ['a + b', 'a - b', 'a * b', 'a / b', 'a = b', 'a < b', 'a >= b', 'a != b'];
  const divisions = ['intDivOrZero(a, b)', 'moduloOrZero(a, b)'];
  it.each([...operators, ...divisions])('%s', (expression) => {
    const found = pairs(numbers, numbers).flatMap((types) => differences(expression, types));
    expect(found).toEqual([]);
  });

  it.each(['bitAnd(a, b)', 'bitOr(a, b)', 'bitXor(a, b)'])('%s', (expression) => {
    const found = pairs(integers, integers).flatMap((types) => differences(expression, types));
    expect(found).toEqual([]);
  });

  it.each([0, 1, 7, 8, 31, 32, 63])('shifts by %i', (by) => {
    const found = integers.flatMap((type) => [
      ...differences(`bitShiftLeft(a, ${by})`, [type]),
      ...differences(`bitShiftRight(a, ${by})`, [type]),
    ]);
    expect(found).toEqual([]);
  });

  it.each(['a and b', 'a or b', 'xor(a, b)', 'if(a, a, b)', 'coalesce(a, b)', 'nullIf(a, b)'])(
    '%s',
    (expression) => {
      const small = ['UInt8', 'Int32', 'Nullable(Int32)'];
      const found = pairs(small, small).flatMap((types) => differences(expression, types));
      expect(found).toEqual([]);
    },
  );

  it.each(['least(a, b)', 'greatest(a, b)'])('%s', (expression) => {
    const found = pairs(integers.slice(0, 7), integers.slice(0, 7)).flatMap((types) =>
      differences(expression, types),
    );
    expect(found).toEqual([]);
  });
});

describe('one argument', () => {
  const ofNumbers = ['-a', 'abs(a)', 'sign(a)', 'toString(a)', 'round(a)', 'floor(a)', 'ceil(a)']
    .concat(['round(a, -1)', 'floor(a, -1)', 'ceil(a, -1)', 'trunc(a, -1)', 'not a', 'hex(a)'])
    .concat(['toInt8(a)', 'toInt16(a)', 'toInt64(a)', 'toUInt16(a)', 'toUInt64(a)'])
    .concat(['toFloat32(a)', 'toFloat64(a)', 'toBool(a)', 'isNull(a)', 'toNullable(a)'])
    .concat(['sipHash64(a)', 'a % 3', 'intDiv(a, 3)', 'toUInt32(a)']);
  it.each(ofNumbers)('%s', (expression) => {
    expect(numbers.flatMap((type) => differences(expression, [type]))).toEqual([]);
  });

  const ofIntegers = ['intHash32(a)', 'intHash64(a)', 'bitNot(a)', 'bitCount(a)', 'bitTest(a, 3)'];
  it.each(ofIntegers)('%s', (expression) => {
    expect(integers.flatMap((type) => differences(expression, [type]))).toEqual([]);
  });

  const ofTexts = ['lower(a)', 'upper(a)', 'length(a)', 'lengthUTF8(a)', 'reverse(a)', 'empty(a)']
    .concat(['hex(a)', 'base64Encode(a)', "a like '%a%'", "a = 'a'"])
    .concat([
      'substring(a, 2)',
      "concat(a, 'x')",
      "position(a, 'b')",
      'toString(a)',
      'sipHash64(a)',
    ])
    .concat(["a < 'b'", "replaceAll(a, 'a', 'xx')", 'toUInt8OrNull(a)', 'toUInt8OrZero(a)']);
  it.each(ofTexts)('%s', (expression) => {
    const types = ['String', 'LowCardinality(String)'];
    expect(types.flatMap((type) => differences(expression, [type]))).toEqual([]);
  });

  const parts = ['Year', 'Month', 'DayOfMonth', 'DayOfWeek', 'Quarter', 'DayOfYear', 'ISOWeek']
    .concat(['YYYYMM', 'YYYYMMDD', 'Monday', 'StartOfMonth', 'StartOfWeek', 'StartOfYear'])
    .concat(['Hour', 'Minute', 'Second', 'StartOfDay', 'UnixTimestamp', 'Date', 'DateTime']);
  const onDates = parts
    .map((part) => `to${part}(a)`)
    .concat(['addDays(a, 1)', 'addMonths(a, 1)', 'addHours(a, 1)', 'a + 1', 'a - INTERVAL 1 WEEK'])
    .concat(["formatDateTime(a, '%F %T')", 'toString(a)', "a > '2020-01-01'", 'toInt64(a)'])
    .concat(['toStartOfInterval(a, INTERVAL 15 MINUTE)']);
  it.each(onDates)('%s', (expression) => {
    const dates = Object.keys(edges).filter((type) => type.startsWith('Date'));
    expect(dates.flatMap((type) => differences(expression, [type]))).toEqual([]);
  });

  it.each(['hour', 'day', 'month'])('date_trunc to the %s', (unit) => {
    const types = ["DateTime('UTC')", "DateTime('America/New_York')"];
    const found = types.flatMap((type) => differences(`date_trunc('${unit}', a)`, [type]));
    expect(found).toEqual([]);
  });

  const onArrays = [
    'length(a)',
    'a[1]',
    'a[-1]',
    'a[2]',
    'has(a, 2)',
    'indexOf(a, 2)',
    'arraySum(a)',
  ]
    .concat(['arraySort(a)', 'arrayReverse(a)', 'arrayDistinct(a)', 'arrayConcat(a, [300])'])
    .concat(['arraySlice(a, 2)', 'arrayMin(a)', 'arrayUniq(a)', 'toString(a)', 'arrayEnumerate(a)'])
    .concat(["arrayStringConcat(a, ',')", 'arrayAvg(a)', 'arrayPushBack(a, 1)', 'a = [1]']);
  it.each(onArrays)('%s', (expression) => {
    expect(differences(expression, ['Array(UInt8)'])).toEqual([]);
  });
});

describe('pairs of dates and texts', () => {
  const dates = Object.keys(edges).filter((type) => type.startsWith('Date'));
  const units = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'];
  it.each(units)('dateDiff in %ss', (unit) => {
    const found = pairs(dates.slice(0, 3), dates.slice(0, 3)).flatMap((types) =>
      differences(`dateDiff('${unit}', a, b)`, types),
    );
    expect(found).toEqual([]);
  });

  it.each(['a = b', 'a < b', 'a > b', 'if(a > b, a, b)'])('%s of dates', (expression) => {
    expect(pairs(dates, dates).flatMap((types) => differences(expression, types))).toEqual([]);
  });

  it.each(['a = b', 'a < b', 'concat(a, b)', 'startsWith(a, b)', 'position(a, b)', 'a || b'])(
    '%s of texts',
    (expression) => {
      const texts = ['String', 'LowCardinality(String)'];
      expect(pairs(texts, texts).flatMap((types) => differences(expression, types))).toEqual([]);
    },
  );
});
