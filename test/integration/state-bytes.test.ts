// Aggregate states byte for byte against real ClickHouse: what it writes for a set is what we write,
// and we read what it writes.

import { query } from 'chdb';
import { describe, expect, it } from 'vitest';
import { decodeWholeState, encodeState, widthOf } from '../../storage-format/clickhouse-state.ts';
import type { IntegerName } from '../../storage-format/data-type.ts';
import { integerNames } from '../storage-format/code-samples.ts';

/** Expressions over `number` that make sets of every container kind. */
const sets: readonly (readonly [string, number])[] = [
  ['number * 3', 20],
  ['number', 32],
  ['number', 33],
  ['intHash32(number) % 200', 60],
  ['number * 2', 90],
  ['intHash64(number)', 500],
  ['intHash64(number) % 100000', 4_000],
  ['number + intDiv(number, 10) * 7', 9_000],
  ['number', 70_000],
  ['number * 5', 5_000],
  ['bitOr(bitShiftLeft(number % 7, 40), number)', 3_000],
  ['bitXor(toUInt64(-1), number * 2)', 40],
];

/** The set's ids as 64-bit patterns, and ClickHouse's state of it built in ascending order. */
function oracle(type: IntegerName, expression: string, count: number): [string, string] {
  const ids = `SELECT DISTINCT to${type}(${expression}) AS id FROM numbers(${count})`;
  const unsigned = `reinterpretAsUInt64(toInt64(id))`;
  const sql = `SELECT hex(CAST(groupBitmapState(id) AS String)),
      arrayStringConcat(arraySort(groupArray(${unsigned})), ',')
    FROM (SELECT id FROM (${ids}) ORDER BY ${unsigned}) SETTINGS max_threads = 1`;
  const [state, list] = query(sql, 'TabSeparated').trim().split('\t');
  return [state!, list!];
}

describe.each(integerNames)('states of %s', (type) => {
  it.each(sets)('%s, %i numbers', (expression, count) => {
    const [state, list] = oracle(type, expression, count);
    const ids = BigUint64Array.from(list.split(','), BigInt);
    expect(widthOf(type)).toBeGreaterThan(0);
    expect(Buffer.from(encodeState(ids, type)).toString('hex').toUpperCase()).toBe(state);
    expect(decodeWholeState(Buffer.from(state, 'hex'), type)).toEqual(ids);
  });
});
