// ClickHouse's SQL for the editor: words, quotes and comments. The functions are the server's own.

import { SQLDialect } from '@codemirror/lang-sql';

export const keywords: readonly string[] = (
  'ALTER ALL AND ANTI ANY ARRAY AS ASC ASOF BETWEEN BY CASE CAST COLUMN COMMENT CREATE CROSS CUBE ' +
  'DATABASE DATABASES DEFAULT DELETE DESC DESCRIBE DISTINCT DROP ELSE END ENGINE EXCEPT EXISTS ' +
  'EXPLAIN FINAL FIRST FORMAT FROM FULL FUNCTION GLOBAL GROUP GROUPING HAVING IF ILIKE IN INNER ' +
  'INSERT INTERSECT INTERVAL INTO IS JOIN KILL LAST LEFT LIKE LIMIT MATERIALIZED MODIFY NOT NULL ' +
  'NULLS OFFSET ON OPTIMIZE OR ORDER OUTER OVER PARTITION PLAN PREWHERE PRIMARY KEY QUALIFY QUERY ' +
  'RENAME RIGHT ROLLUP SAMPLE SELECT SEMI SET SETS SETTINGS SHOW SYSTEM TABLE TABLES THEN TIES TO ' +
  'TOTALS TRUNCATE UNION UPDATE USE USING VALUES VIEW WHEN WHERE WINDOW WITH ANALYZE'
).split(' ');

const types =
  'Int8 Int16 Int32 Int64 UInt8 UInt16 UInt32 UInt64 Float32 Float64 String FixedString Date Date32 ' +
  'DateTime DateTime64 UUID Bool Array Tuple Map Nullable LowCardinality AggregateFunction ' +
  'SimpleAggregateFunction Enum8 Enum16 Decimal';

export function clickHouseDialect(functions: readonly string[]): SQLDialect {
  const isKeyword = new Set(keywords);
  const own = functions.filter((name) => !isKeyword.has(name.toUpperCase()));
  return SQLDialect.define({
    keywords: keywords.join(' ').toLowerCase(),
    types: types.toLowerCase(),
    builtin: own.join(' ').toLowerCase(),
    backslashEscapes: true,
    doubleDollarQuotedStrings: true,
    hashComments: true,
    operatorChars: '*+-%<>!=&|^/?:~',
    identifierQuotes: '`"',
  });
}
