// IN over constants, folded while planning and row by row: types that meet, constants that the left
// side cannot hold, NULLs, tuples. Each must answer as ClickHouse does, types included.

const constants = [
  '1 IN (1, 2)',
  '1 NOT IN (2)',
  '1 IN (1, 300, -1, 1.5)',
  '1.5 IN (1.5, 2)',
  '1 IN (1.5)',
  "toDate('2020-01-01') IN ('2020-01-01')",
  "toDateTime('2020-01-01 00:00:00', 'UTC') IN ('2020-01-01 00:00:00')",
  "'a' IN ('a', 'b')",
  "'a' IN ('b')",
  '1 IN [1, 2]',
  '1 IN (1)',
  "(1, 'a') IN ((1, 'a'))",
  "(1, 'a') IN (1, 'a')",
  "(1, 'a') IN ((1, 'b'), (2, 'a'))",
  '1 IN (toUInt64(1))',
  "CAST('a', 'Enum8(\\'a\\' = 1, \\'b\\' = 2)') IN ('a', 'nobody')",
  "CAST('b', 'Enum8(\\'a\\' = 1, \\'b\\' = 2)') IN ('a', 'nobody')",
  '-1 IN (18446744073709551615)',
  'toUInt64(18446744073709551615) IN (18446744073709551615)',
  'NULL IN (1)',
  'toNullable(1) IN (1, 2)',
  'toNullable(1) IN (2)',
];

const rows = [
  ...constants.map((expression) => expression.replace(/^(.+?) (?=IN|NOT)/, 'materialize($1) ')),
  ...['Int8', 'UInt8', 'Int16', 'UInt16', 'Int32', 'UInt32', 'Int64', 'UInt64', 'Float32']
    .concat(['Float64', 'Bool', 'Nullable(Int16)', 'Nullable(UInt64)'])
    .map((type) => `CAST(arrayJoin([1, 7, -1, 44, 300]), '${type}') IN (1, 7, -1, 300)`),
  ...['String', 'Nullable(String)', 'LowCardinality(Nullable(String))'].map(
    (type) => `CAST(char(97 + number), '${type}') IN ('a', 'ab', NULL)`,
  ),
  'arrayJoin([-9223372036854775808, -1, 0, 9223372036854775807]) IN (-1, 9223372036854775807)',
  'arrayJoin([0, 9007199254740993, 18446744073709551615]) IN (9007199254740993, -1)',
];

export const membershipQueries: readonly string[] = [
  ...constants.map((expression) => `SELECT ${expression} AS x, toTypeName(x)`),
  ...rows.map((expression) => `SELECT ${expression} AS x, toTypeName(x) FROM numbers(2)`),
  'SELECT sum(number IN (1, 5, 59999, -1, 70000)) FROM numbers(60000)',
];
