// What is in arrays: arrayElement, has, indexOf, countEqual, hasAny, hasAll, arrayUniq.

import { MusterError } from '../../../base/errors.ts';
import { type Column, columnLength } from '../../../storage-format/column.ts';
import { type DataType, formatType, isNullable } from '../../../storage-format/data-type.ts';
import { fullColumn } from '../apply-function.ts';
import { castColumn } from '../cast.ts';
import { keyTable } from '../columns/key-table.ts';
import { take } from '../columns/take.ts';
import { commonType } from '../common-type.ts';
import { illegalType } from '../function-errors.ts';
import { doubles } from '../number-lanes.ts';
import { isInteger, uint8, uint64 } from '../numeric-types.ts';
import type { Argument, FunctionCall, ScalarFunction } from '../scalar-function.ts';
import {
  type ArrayColumn,
  arrays,
  arraysOf,
  endOf,
  numberItems,
  requireArray,
  startOf,
} from './array-rows.ts';
import { countColumn } from './text-arguments.ts';

const arrayElement: ScalarFunction = {
  name: 'arrayElement',
  arity: [2, 2],
  returnType: ([list, index]) => {
    if (!isInteger(index!.type)) throw illegalType('arrayElement', index!.type);
    return requireArray('arrayElement', list!.type).item;
  },
  evaluate: (call) => {
    const [list, position] = call.arguments as readonly [Argument, Argument];
    const { column } = list;
    if (column.kind !== 'array') throw new Error('assertion failed: arrayElement of an array');
    const positions = doubles(position, call.rows);
    const index = new Int32Array(call.rows);
    for (let row = 0; row < call.rows; row++) {
      const start = startOf(column, list.constant ? 0 : row);
      const end = endOf(column, list.constant ? 0 : row);
      const at = positions[row] ?? 0;
      const item = at > 0 ? start + at - 1 : end + at;
      index[row] = at === 0 || item < start || item >= end ? -1 : item;
    }
    return take(column.items, index, isNullable(call.returns));
  },
};

function searchType(name: string, list: DataType, value: DataType): DataType {
  const { item } = requireArray(name, list);
  const common = item.kind === 'Nothing' ? value : commonType([item, value]);
  if (common !== undefined) return common;
  throw new MusterError(
    'NO_COMMON_TYPE',
    `Types of array and 2nd argument of function ${name} must be identical up to nullability, ` +
      `cardinality, numeric types, or Enum and numeric type. Passed: ${formatType(list)} and ` +
      formatType(value),
  );
}

/** Items and wanted values, numbered alike; -1 for a value that no item equals. */
function numbered(name: string, call: FunctionCall) {
  const [list, value] = call.arguments as readonly [Argument, Argument];
  const type = searchType(name, list.type, value.type);
  const lists = arraysOf(list, type, call);
  const table = keyTable(type);
  const items = table.add(lists.items, columnLength(lists.items));
  const wanted = castColumn(value.column, value.type, { to: type, context: call.context });
  const values = fullColumn({ type, column: wanted, constant: value.constant }, call.rows);
  return { lists, items, wanted: table.find(values, call.rows) };
}

/** A number from the items of a row and the wanted one. */
function searcher(
  name: string,
  returns: DataType,
  count: (items: Int32Array, wanted: number) => number,
): ScalarFunction {
  return {
    name,
    arity: [2, 2],
    nulls: 'custom',
    returnType: ([list, value]) => {
      searchType(name, list!.type, value!.type);
      return returns;
    },
    evaluate: (call) => {
      const { lists, items, wanted } = numbered(name, call);
      const results = Array.from({ length: call.rows }, (_, row) =>
        count(items.subarray(startOf(lists, row), endOf(lists, row)), wanted[row] ?? -1),
      );
      return returns.kind === 'UInt64'
        ? countColumn(results)
        : { kind: 'number', values: Uint8Array.from(results) };
    },
  };
}

function countOf(items: Int32Array, wanted: number): number {
  let count = 0;
  for (const item of items) if (item === wanted) count++;
  return count;
}

/** A test of the items of two arrays. */
function overlap(
  name: string,
  test: (items: ReadonlySet<number>, others: Int32Array) => boolean,
): ScalarFunction {
  return {
    name,
    arity: [2, 2],
    nulls: 'custom',
    returnType: ([a, b]) => {
      const item = requireArray(name, b!.type).item;
      searchType(name, a!.type, item.kind === 'Nothing' ? requireArray(name, a!.type).item : item);
      return uint8;
    },
    evaluate: (call) => {
      const [a, b] = call.arguments as readonly [Argument, Argument];
      const type = commonType([a.type, b.type]) ?? a.type;
      const item = requireArray(name, type).item;
      const x = arraysOf(a, item, call);
      const y = arraysOf(b, item, call);
      const [xs, ys] = numberItems(item, [x.items, y.items]) as readonly [Int32Array, Int32Array];
      const values = Uint8Array.from({ length: call.rows }, (_, row) => {
        const items = new Set(xs.subarray(startOf(x, row), endOf(x, row)));
        return test(items, ys.subarray(startOf(y, row), endOf(y, row))) ? 1 : 0;
      });
      return { kind: 'number', values };
    },
  };
}

/** How many distinct items (of several arrays: distinct tuples of items at one place). */
function evaluateUniq(call: FunctionCall): Column {
  const lists = call.arguments.map((argument) => arrays(argument, call.rows));
  const numbers = lists.map((list, k) => {
    const { item } = requireArray('arrayUniq', call.arguments[k]!.type);
    return numberItems(item, [list.items])[0]!;
  });
  const values = new Uint32Array(call.rows);
  for (let row = 0; row < call.rows; row++) values[row] = distinctPlaces(lists, numbers, row);
  return { kind: 'number', values };
}

function distinctPlaces(
  lists: readonly ArrayColumn[],
  numbers: readonly Int32Array[],
  row: number,
): number {
  const first = lists[0]!;
  const length = endOf(first, row) - startOf(first, row);
  if (lists.some((list) => endOf(list, row) - startOf(list, row) !== length)) {
    throw new MusterError('SIZES_OF_ARRAYS_DONT_MATCH', 'Lengths of all arrays must be equal');
  }
  const seen = new Set<string>();
  for (let i = 0; i < length; i++) {
    seen.add(lists.map((list, k) => numbers[k]?.[startOf(list, row) + i]).join(','));
  }
  return seen.size;
}

export const arraySearchFunctions: readonly ScalarFunction[] = [
  arrayElement,
  searcher('has', uint8, (items, wanted) => (wanted >= 0 && items.includes(wanted) ? 1 : 0)),
  searcher('indexOf', uint64, (items, wanted) => (wanted < 0 ? 0 : items.indexOf(wanted) + 1)),
  searcher('countEqual', uint64, countOf),
  overlap('hasAny', (items, others) => others.some((item) => items.has(item))),
  overlap('hasAll', (items, others) => others.every((item) => items.has(item))),
  {
    name: 'arrayUniq',
    arity: [1, Number.POSITIVE_INFINITY],
    returnType: (types) => {
      for (const { type } of types) requireArray('arrayUniq', type);
      return { kind: 'UInt32' };
    },
    evaluate: evaluateUniq,
  },
];
