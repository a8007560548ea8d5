// Arrays rearranged: sorted, distinct, compacted, intersected, enumerated.

import { type Column, columnLength, isNullAt } from '../../../storage-format/column.ts';
import type { DataType } from '../../../storage-format/data-type.ts';
import { withoutNulls } from '../columns/nulls.ts';
import { sortPermutation } from '../columns/sort.ts';
import { take } from '../columns/take.ts';
import { leastSupertype, stripNullable } from '../common-type.ts';
import type { FunctionCall, ScalarFunction } from '../scalar-function.ts';
import {
  type ArrayColumn,
  arrays,
  arraysOf,
  endOf,
  numberItems,
  pickItems,
  requireArray,
  startOf,
} from './array-rows.ts';

/** Items in order within each row: one sort of all items by (row, item). */
function sortItems(list: ArrayColumn, descending: boolean): Column {
  const count = columnLength(list.items);
  const rowOf = new Uint32Array(count);
  for (let row = 0; row + 1 < list.offsets.length; row++) {
    rowOf.fill(row, startOf(list, row), endOf(list, row));
  }
  const order = sortPermutation(
    [
      { column: { kind: 'number', values: rowOf }, descending: false, nullsFirst: false },
      { column: list.items, descending, nullsFirst: false },
    ],
    count,
  );
  return { kind: 'array', offsets: list.offsets, items: take(list.items, order) };
}

function sorter(name: string, descending: boolean): ScalarFunction {
  return {
    name,
    arity: [1, 1],
    returnType: ([list]) => requireArray(name, list!.type),
    evaluate: (call) => sortItems(arrays(call.arguments[0]!, call.rows), descending),
  };
}

/** Items that pass a test on their numbers, in place. */
function selector(
  name: string,
  keeps: (items: Int32Array, at: number, seen: Set<number>) => boolean,
): ScalarFunction {
  return {
    name,
    arity: [1, 1],
    returnType: ([list]) => requireArray(name, list!.type),
    evaluate: (call) => {
      const list = arrays(call.arguments[0]!, call.rows);
      const { item } = requireArray(name, call.arguments[0]!.type);
      const numbers = numberItems(item, [list.items])[0]!;
      return pickItems(list, call.rows, (row, push) => {
        const start = startOf(list, row);
        const items = numbers.subarray(start, endOf(list, row));
        const seen = new Set<number>();
        for (let i = 0; i < items.length; i++) if (keeps(items, i, seen)) push(start + i);
      });
    },
  };
}

function isFirst(items: Int32Array, at: number, seen: Set<number>): boolean {
  const item = items[at] ?? -1;
  if (seen.has(item)) return false;
  seen.add(item);
  return true;
}

function evaluateIntersect(call: FunctionCall): Column {
  const item = call.returns.kind === 'Array' ? call.returns.item : call.returns;
  const lists = call.arguments.map((argument) => arraysOf(argument, item, call));
  const numbers = numberItems(
    item,
    lists.map((list) => list.items),
  );
  const first = lists[0]!;
  return pickItems(first, call.rows, (row, push) => {
    const others = lists
      .slice(1)
      .map((list, k) => new Set(numbers[k + 1]?.subarray(startOf(list, row), endOf(list, row))));
    const seen = new Set<number>();
    for (let i = startOf(first, row); i < endOf(first, row); i++) {
      const number = numbers[0]?.[i] ?? -1;
      if (seen.has(number) || !others.every((other) => other.has(number))) continue;
      seen.add(number);
      push(i);
    }
  });
}

function evaluateEnumerate(call: FunctionCall): Column {
  const list = arrays(call.arguments[0]!, call.rows);
  const values = new Uint32Array(columnLength(list.items));
  for (let row = 0; row < call.rows; row++) {
    for (let i = startOf(list, row); i < endOf(list, row); i++)
      values[i] = i - startOf(list, row) + 1;
  }
  return { kind: 'array', offsets: list.offsets, items: { kind: 'number', values } };
}

function evaluateReverse(call: FunctionCall): Column {
  const list = arrays(call.arguments[0]!, call.rows);
  return pickItems(list, call.rows, (row, push) => {
    for (let i = endOf(list, row) - 1; i >= startOf(list, row); i--) push(i);
  });
}

/** Arrays of arrays become arrays of the innermost items. */
function evaluateFlatten(call: FunctionCall): Column {
  let list = arrays(call.arguments[0]!, call.rows);
  while (list.items.kind === 'array') {
    const inner = list.items;
    const offsets = list.offsets.map((end) => inner.offsets[end] ?? 0);
    list = { kind: 'array', offsets, items: inner.items };
  }
  return list;
}

function flatItem(type: DataType): DataType {
  return type.kind === 'Array' ? flatItem(type.item) : type;
}

/** Without its NULLs, as arrayDistinct leaves them out. */
function withoutNullItems(call: FunctionCall): FunctionCall {
  const list = arrays(call.arguments[0]!, call.rows);
  const column = pickItems(list, call.rows, (row, push) => {
    for (let i = startOf(list, row); i < endOf(list, row); i++)
      if (!isNullAt(list.items, i)) push(i);
  });
  const bare = { ...column, items: withoutNulls(column.items) };
  return { ...call, arguments: [{ type: call.returns, column: bare, constant: false }] };
}

const distinct = selector('arrayDistinct', isFirst);

export const arrayOrderFunctions: readonly ScalarFunction[] = [
  sorter('arraySort', false),
  sorter('arrayReverseSort', true),
  {
    ...distinct,
    returnType: ([list]) => ({
      kind: 'Array',
      item: stripNullable(requireArray('arrayDistinct', list!.type).item),
    }),
    evaluate: (call) => distinct.evaluate(withoutNullItems(call)),
  },
  selector('arrayCompact', (items, at) => at === 0 || items[at] !== items[at - 1]),
  {
    name: 'arrayIntersect',
    arity: [1, Number.POSITIVE_INFINITY],
    returnType: (types) =>
      leastSupertype(types.map(({ type }) => requireArray('arrayIntersect', type))),
    evaluate: evaluateIntersect,
  },
  {
    name: 'arrayEnumerate',
    arity: [1, 1],
    returnType: ([list]) => {
      requireArray('arrayEnumerate', list!.type);
      return { kind: 'Array', item: { kind: 'UInt32' } };
    },
    evaluate: evaluateEnumerate,
  },
  {
    name: 'arrayReverse',
    arity: [1, 1],
    returnType: ([list]) => requireArray('arrayReverse', list!.type),
    evaluate: evaluateReverse,
  },
  {
    name: 'arrayFlatten',
    aliases: ['flatten'],
    arity: [1, 1],
    returnType: ([list]) => ({
      kind: 'Array',
      item: flatItem(requireArray('arrayFlatten', list!.type)),
    }),
    evaluate: evaluateFlatten,
  },
];
