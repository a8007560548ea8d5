// One value out of an array: arraySum, arrayMin, arrayMax, arrayAvg, arrayProduct.

import { type Column, columnLength } from '../../../storage-format/column.ts';
import type { DataType } from '../../../storage-format/data-type.ts';
import { compareRows } from '../columns/compare.ts';
import { take } from '../columns/take.ts';
import { illegalType } from '../function-errors.ts';
import { columnFromPatterns, doubles, patterns } from '../number-lanes.ts';
import { float64, int64, numericShape, uint64 } from '../numeric-types.ts';
import type { FunctionCall, ScalarFunction } from '../scalar-function.ts';
import { type ArrayColumn, arrays, endOf, requireArray, startOf } from './array-rows.ts';

function itemOf(name: string, type: DataType): DataType {
  const { item } = requireArray(name, type);
  if (numericShape(item) === undefined) throw illegalType(name, type);
  return item;
}

function itemDoubles(list: ArrayColumn, item: DataType): Float64Array {
  const argument = { type: item, column: list.items, constant: false };
  return doubles(argument, columnLength(list.items));
}

function sumType(item: DataType): DataType {
  const shape = numericShape(item);
  if (shape?.float === true) return float64;
  return shape?.signed === true ? int64 : uint64;
}

function evaluateSum(call: FunctionCall): Column {
  const list = arrays(call.arguments[0]!, call.rows);
  const item = itemOf('arraySum', call.arguments[0]!.type);
  if (call.returns.kind === 'Float64') {
    const values = itemDoubles(list, item);
    return { kind: 'number', values: reduceItems(values, { list, rows: call.rows }, addition) };
  }
  const argument = { type: item, column: list.items, constant: false };
  const halves = patterns(argument, columnLength(list.items));
  const result = new Int32Array(call.rows * 2);
  for (let row = 0; row < call.rows; row++) {
    let low = 0;
    let high = 0;
    for (let i = startOf(list, row); i < endOf(list, row); i++) {
      low += (halves[2 * i] ?? 0) >>> 0;
      high = (high + (halves[2 * i + 1] ?? 0)) | 0;
      if (low > 0xffffffff) {
        low -= 4_294_967_296;
        high = (high + 1) | 0;
      }
    }
    result[2 * row] = low;
    result[2 * row + 1] = high;
  }
  return columnFromPatterns(call.returns, result);
}

interface Reduction {
  readonly start: number;
  readonly combine: (a: number, b: number) => number;
}

const addition: Reduction = { start: 0, combine: (a, b) => a + b };
const multiplication: Reduction = { start: 1, combine: (a, b) => a * b };

function reduceItems(
  values: Float64Array,
  { list, rows }: { readonly list: ArrayColumn; readonly rows: number },
  { start, combine }: Reduction,
): Float64Array {
  const result = new Float64Array(rows).fill(start);
  for (let row = 0; row < rows; row++) {
    for (let i = startOf(list, row); i < endOf(list, row); i++) {
      result[row] = combine(result[row] ?? 0, values[i] ?? 0);
    }
  }
  return result;
}

function evaluateAverage(call: FunctionCall): Column {
  const list = arrays(call.arguments[0]!, call.rows);
  const item = itemOf('arrayAvg', call.arguments[0]!.type);
  const sums = reduceItems(itemDoubles(list, item), { list, rows: call.rows }, addition);
  const values = sums.map((sum, row) => {
    const count = endOf(list, row) - startOf(list, row);
    return count === 0 ? 0 : sum / count;
  });
  return { kind: 'number', values };
}

/** The least or greatest item; the type's default for an empty array. */
function extremum(name: string, sign: 1 | -1): ScalarFunction {
  return {
    name,
    arity: [1, 1],
    returnType: ([list]) => {
      const { item } = requireArray(name, list!.type);
      if (item.kind === 'Nothing') throw illegalType(name, list!.type);
      return item;
    },
    evaluate: (call) => {
      const list = arrays(call.arguments[0]!, call.rows);
      const index = new Int32Array(call.rows).fill(-1);
      for (let row = 0; row < call.rows; row++) {
        for (let i = startOf(list, row); i < endOf(list, row); i++) {
          const best = index[row] ?? -1;
          const order = best < 0 ? -1 : compareRows(list.items, list.items, { a: i, b: best });
          if (best < 0 || order * sign < 0) index[row] = i;
        }
      }
      return take(list.items, index);
    },
  };
}

export const arrayReduceFunctions: readonly ScalarFunction[] = [
  {
    name: 'arraySum',
    arity: [1, 1],
    returnType: ([list]) => sumType(itemOf('arraySum', list!.type)),
    evaluate: evaluateSum,
  },
  {
    name: 'arrayAvg',
    arity: [1, 1],
    returnType: ([list]) => {
      itemOf('arrayAvg', list!.type);
      return float64;
    },
    evaluate: evaluateAverage,
  },
  {
    name: 'arrayProduct',
    arity: [1, 1],
    returnType: ([list]) => {
      itemOf('arrayProduct', list!.type);
      return float64;
    },
    evaluate: (call) => {
      const list = arrays(call.arguments[0]!, call.rows);
      const item = itemOf('arrayProduct', call.arguments[0]!.type);
      const values = itemDoubles(list, item);
      return {
        kind: 'number',
        values: reduceItems(values, { list, rows: call.rows }, multiplication),
      };
    },
  },
  extremum('arrayMin', 1),
  extremum('arrayMax', -1),
];
