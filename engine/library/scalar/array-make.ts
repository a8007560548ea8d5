// Arrays made: array literals, range, emptyArray*, arrayWithConstant, arrayConcat, push, pop, slice.

import { MusterError } from '../../../base/errors.ts';
import { type Column, isNullAt } from '../../../storage-format/column.ts';
import { type DataType, isNullable } from '../../../storage-format/data-type.ts';
import { defaultColumn } from '../../values/column-shape.ts';
import { fullColumn } from '../apply-function.ts';
import { castColumn } from '../cast.ts';
import { take } from '../columns/take.ts';
import { leastSupertype, stripNullable } from '../common-type.ts';
import { illegalType } from '../function-errors.ts';
import { columnFromDoubles, doubles } from '../number-lanes.ts';
import { isInteger, numericShape } from '../numeric-types.ts';
import type { Argument, FunctionCall, ScalarFunction } from '../scalar-function.ts';
import {
  arrays,
  arraysOf,
  endOf,
  joinItems,
  pickItems,
  requireArray,
  startOf,
} from './array-rows.ts';
import { partRange } from './string-search.ts';

const rangeItemsMax = 500_000_000;

function evaluateArray(call: FunctionCall): Column {
  const item = call.returns.kind === 'Array' ? call.returns.item : call.returns;
  const width = call.arguments.length;
  const offsets = Uint32Array.from({ length: call.rows + 1 }, (_, row) => row * width);
  if (width === 0) return { kind: 'array', offsets, items: defaultColumn(item, 0) };
  const columns = call.arguments.map((argument) =>
    fullColumn(castArgument(argument, item, call), call.rows),
  );
  const { items } = joinItems(columns);
  const index = new Int32Array(width * call.rows);
  for (let row = 0; row < call.rows; row++) {
    for (let k = 0; k < width; k++) index[row * width + k] = k * call.rows + row;
  }
  return { kind: 'array', offsets, items: take(items, index) };
}

function castArgument(argument: Argument, to: DataType, call: FunctionCall): Argument {
  const column = castColumn(argument.column, argument.type, { to, context: call.context });
  return { type: to, column, constant: argument.constant };
}

function rangeType(types: readonly DataType[]): DataType {
  for (const type of types) if (!isInteger(type)) throw illegalType('range', type);
  return { kind: 'Array', item: leastSupertype(types) };
}

function evaluateRange(call: FunctionCall): Column {
  const bounds = call.arguments.map((argument) => doubles(argument, call.rows));
  const [first, second, third] = bounds;
  const offsets = new Uint32Array(call.rows + 1);
  const values: number[] = [];
  for (let row = 0; row < call.rows; row++) {
    const start = second === undefined ? 0 : (first?.[row] ?? 0);
    const end = second === undefined ? (first?.[row] ?? 0) : (second[row] ?? 0);
    const step = third?.[row] ?? 1;
    if (second === undefined && end < 0) throw negativeRange();
    if (step === 0) {
      throw new MusterError('ARGUMENT_OUT_OF_BOUND', 'The 3rd argument of range must not be 0');
    }
    const count = Math.max(Math.ceil((end - start) / step), 0);
    if (values.length + count > rangeItemsMax) throw tooLargeRange();
    for (let i = 0; i < count; i++) values.push(start + i * step);
    offsets[row + 1] = values.length;
  }
  const item = call.returns.kind === 'Array' ? call.returns.item : call.returns;
  return { kind: 'array', offsets, items: columnFromDoubles(item, Float64Array.from(values)) };
}

function negativeRange(): MusterError {
  return new MusterError(
    'ARGUMENT_OUT_OF_BOUND',
    'A call to function range overflows, only support positive values when only end is provided',
  );
}

function tooLargeRange(): MusterError {
  return new MusterError(
    'ARGUMENT_OUT_OF_BOUND',
    `A call to function range would produce more than ${rangeItemsMax} array elements`,
  );
}

function concatType(name: string, types: readonly DataType[]): DataType {
  return leastSupertype(types.map((type) => requireArray(name, type)));
}

function evaluateConcat(call: FunctionCall): Column {
  const item = call.returns.kind === 'Array' ? call.returns.item : call.returns;
  const lists = call.arguments.map((argument) => arraysOf(argument, item, call));
  const { items, starts } = joinItems(lists.map((list) => list.items));
  return pickItems({ ...lists[0]!, items }, call.rows, (row, push) => {
    lists.forEach((list, k) => {
      for (let i = startOf(list, row); i < endOf(list, row); i++) push((starts[k] ?? 0) + i);
    });
  });
}

/** One item added at an end. */
function pusher(name: string, end: 'front' | 'back'): ScalarFunction {
  return {
    name,
    arity: [2, 2],
    nulls: 'custom',
    returnType: ([list, value]) => {
      const { item } = requireArray(name, list!.type);
      return { kind: 'Array', item: leastSupertype([item, value!.type]) };
    },
    evaluate: (call) => {
      const item = call.returns.kind === 'Array' ? call.returns.item : call.returns;
      const list = arraysOf(call.arguments[0]!, item, call);
      const value = fullColumn(castArgument(call.arguments[1]!, item, call), call.rows);
      const { items, starts } = joinItems([list.items, value]);
      return pickItems({ ...list, items }, call.rows, (row, push) => {
        if (end === 'front') push((starts[1] ?? 0) + row);
        for (let i = startOf(list, row); i < endOf(list, row); i++) push(i);
        if (end === 'back') push((starts[1] ?? 0) + row);
      });
    },
  };
}

function popper(name: string, end: 'front' | 'back'): ScalarFunction {
  return {
    name,
    arity: [1, 1],
    returnType: ([list]) => requireArray(name, list!.type),
    evaluate: (call) => {
      const list = arrays(call.arguments[0]!, call.rows);
      const [front, back] = end === 'front' ? [1, 0] : [0, 1];
      return pickItems(list, call.rows, (row, push) => {
        for (let i = startOf(list, row) + front; i < endOf(list, row) - back; i++) push(i);
      });
    },
  };
}

function evaluateSlice(call: FunctionCall): Column {
  const list = arrays(call.arguments[0]!, call.rows);
  const offsets = doubles(call.arguments[1]!, call.rows);
  const length = call.arguments[2];
  const lengths =
    length === undefined || stripNullable(length.type).kind === 'Nothing'
      ? undefined
      : doubles(length, call.rows);
  const lengthColumn = length === undefined ? undefined : fullColumn(length, call.rows);
  return pickItems(list, call.rows, (row, push) => {
    const start = startOf(list, row);
    const whole = lengthColumn !== undefined && isNullAt(lengthColumn, row);
    const count = whole ? undefined : lengths?.[row];
    const [from, to] = partRange(endOf(list, row) - start, offsets[row] ?? 0, count);
    for (let i = from; i < to; i++) push(start + i);
  });
}

const arrayWithConstant: ScalarFunction = {
  name: 'arrayWithConstant',
  arity: [2, 2],
  nulls: 'custom',
  returnType: ([length, value]) => {
    if (!isInteger(stripNullable(length!.type)))
      throw illegalType('arrayWithConstant', length!.type);
    return { kind: 'Array', item: value!.type };
  },
  evaluate: (call) => {
    const counts = doubles(call.arguments[0]!, call.rows);
    const items = fullColumn(call.arguments[1]!, call.rows);
    const list = { kind: 'array' as const, offsets: new Uint32Array(call.rows + 1), items };
    return pickItems(list, call.rows, (row, push) => {
      for (let i = 0; i < (counts[row] ?? 0); i++) push(row);
    });
  },
};

const emptyItems: readonly (readonly [string, DataType])[] = [
  ...(['Int8', 'Int16', 'Int32', 'Int64', 'UInt8', 'UInt16', 'UInt32', 'UInt64'] as const).map(
    (kind) => [kind, { kind }] as const,
  ),
  ['Float32', { kind: 'Float32' }],
  ['Float64', { kind: 'Float64' }],
  ['String', { kind: 'String' }],
  ['Date', { kind: 'Date' }],
  ['DateTime', { kind: 'DateTime' }],
];

export const arrayMakeFunctions: readonly ScalarFunction[] = [
  {
    name: 'array',
    arity: [0, Number.POSITIVE_INFINITY],
    nulls: 'custom',
    lowCardinality: false,
    returnType: (types) => ({
      kind: 'Array',
      item: leastSupertype(types.map(({ type }) => type)),
    }),
    evaluate: evaluateArray,
  },
  {
    name: 'range',
    arity: [1, 3],
    returnType: (types) => rangeType(types.map(({ type }) => type)),
    evaluate: evaluateRange,
  },
  {
    name: 'arrayConcat',
    arity: [1, Number.POSITIVE_INFINITY],
    returnType: (types) =>
      concatType(
        'arrayConcat',
        types.map(({ type }) => type),
      ),
    evaluate: evaluateConcat,
  },
  {
    name: 'arraySlice',
    arity: [2, 3],
    nulls: 'custom',
    returnType: ([list, offset, length]) => {
      for (const argument of [offset, length]) {
        const bare = stripNullable(argument?.type ?? { kind: 'Nothing' });
        if (bare.kind !== 'Nothing' && numericShape(bare) === undefined) {
          throw illegalType('arraySlice', bare);
        }
      }
      if (isNullable(offset!.type)) throw illegalType('arraySlice', offset!.type);
      return requireArray('arraySlice', list!.type);
    },
    evaluate: evaluateSlice,
  },
  pusher('arrayPushBack', 'back'),
  pusher('arrayPushFront', 'front'),
  popper('arrayPopBack', 'back'),
  popper('arrayPopFront', 'front'),
  arrayWithConstant,
  ...emptyItems.map(
    ([suffix, item]): ScalarFunction => ({
      name: `emptyArray${suffix}`,
      arity: [0, 0],
      returnType: () => ({ kind: 'Array', item }),
      evaluate: () => ({
        kind: 'array',
        offsets: new Uint32Array(2),
        items: defaultColumn(item, 0),
      }),
    }),
  ),
];
