// Bitwise functions over integers of any width, on 32-bit halves.

import { MusterError } from '../../../base/errors.ts';
import type { Column } from '../../../storage-format/column.ts';
import type { DataType } from '../../../storage-format/data-type.ts';
import { illegalType, illegalTypes } from '../function-errors.ts';
import { columnFromPatterns, doubles, patterns } from '../number-lanes.ts';
import { bitwiseType, type NumericShape, numericShape, uint8 } from '../numeric-types.ts';
import type { Argument, FunctionCall, ScalarFunction } from '../scalar-function.ts';

function integerShape(type: DataType): NumericShape | undefined {
  const shape = numericShape(type);
  return shape?.float === false ? shape : undefined;
}

function bitwiseReturns(name: string, a: DataType, b: DataType): DataType {
  const x = integerShape(a);
  const y = integerShape(b);
  if (x === undefined || y === undefined) throw illegalTypes(name, [a, b]);
  return bitwiseType(x, y);
}

function bitwise(name: string, combine: (a: number, b: number) => number): ScalarFunction {
  return {
    name,
    arity: [2, 2],
    returnType: ([a, b]) => bitwiseReturns(name, a!.type, b!.type),
    evaluate: (call) => {
      const x = patterns(call.arguments[0]!, call.rows);
      const y = patterns(call.arguments[1]!, call.rows);
      const result = new Int32Array(x.length);
      for (let i = 0; i < result.length; i++) result[i] = combine(x[i] ?? 0, y[i] ?? 0);
      return columnFromPatterns(call.returns, result);
    },
  };
}

/** The value is widened to the result's type, then shifted; shifts past its width give 0. */
function shift(name: string, direction: 'left' | 'right'): ScalarFunction {
  return {
    name,
    arity: [2, 2],
    returnType: ([a, b]) => bitwiseReturns(name, a!.type, b!.type),
    evaluate: (call) => {
      const [value, amount] = call.arguments as readonly [Argument, Argument];
      const shape = numericShape(call.returns)!;
      const source = columnFromPatterns(call.returns, patterns(value, call.rows).slice());
      const x = patterns({ type: call.returns, column: source, constant: false }, call.rows);
      const amounts = doubles(amount, call.rows);
      const result = new Int32Array(x.length);
      for (let i = 0; i < call.rows; i++) {
        const by = amounts[i] ?? 0;
        if (by < 0) throw negativeShift();
        if (by >= shape.bytes * 8) continue;
        if (direction === 'left') shiftLeft(x, result, i, by);
        else shiftRight(x, result, { row: i, by, signed: shape.signed });
      }
      return columnFromPatterns(call.returns, result);
    },
  };
}

function shiftLeft(from: Int32Array, to: Int32Array, row: number, by: number): void {
  const low = from[2 * row] ?? 0;
  const high = from[2 * row + 1] ?? 0;
  if (by >= 32) {
    to[2 * row + 1] = low << (by - 32);
  } else {
    to[2 * row] = low << by;
    to[2 * row + 1] = by === 0 ? high : (high << by) | (low >>> (32 - by));
  }
}

function shiftRight(
  from: Int32Array,
  to: Int32Array,
  at: { readonly row: number; readonly by: number; readonly signed: boolean },
): void {
  const { row, by, signed } = at;
  const low = from[2 * row] ?? 0;
  const high = from[2 * row + 1] ?? 0;
  if (by >= 32) {
    to[2 * row] = signed ? high >> (by - 32) : high >>> (by - 32);
    to[2 * row + 1] = signed ? high >> 31 : 0;
  } else {
    to[2 * row] = by === 0 ? low : (low >>> by) | (high << (32 - by));
    to[2 * row + 1] = signed ? high >> by : high >>> by;
  }
}

function negativeShift(): MusterError {
  return new MusterError(
    'ARGUMENT_OUT_OF_BOUND',
    'The number of shift positions needs to be a non-negative value',
  );
}

function evaluateTest(call: FunctionCall): Column {
  const [value, position] = call.arguments as readonly [Argument, Argument];
  const x = patterns(value, call.rows);
  const positions = doubles(position, call.rows);
  const bits = 8 * (numericShape(value.type)?.bytes ?? 8);
  const result = new Uint8Array(call.rows);
  for (let i = 0; i < call.rows; i++) {
    const at = positions[i] ?? 0;
    if (at < 0 || at >= bits) {
      throw new MusterError(
        'PARAMETER_OUT_OF_BOUND',
        `The bit position argument needs to a positive value and less or equal to ${bits - 1}`,
      );
    }
    result[i] = ((x[2 * i + (at >= 32 ? 1 : 0)] ?? 0) >>> (at % 32)) & 1;
  }
  return { kind: 'number', values: result };
}

function evaluateCount(call: FunctionCall): Column {
  const value = call.arguments[0]!;
  const x = patterns(value, call.rows);
  const bits = 8 * (numericShape(value.type)?.bytes ?? 8);
  const mask = bits >= 32 ? -1 : (1 << bits) - 1;
  const result = new Uint8Array(call.rows);
  for (let i = 0; i < call.rows; i++) {
    result[i] = popCount((x[2 * i] ?? 0) & mask) + (bits === 64 ? popCount(x[2 * i + 1] ?? 0) : 0);
  }
  return { kind: 'number', values: result };
}

function popCount(word: number): number {
  let x = word - ((word >>> 1) & 0x55555555);
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
  return Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

function onIntegers(name: string, returns: (type: DataType) => DataType) {
  return (type: DataType): DataType => {
    if (integerShape(type) === undefined) throw illegalType(name, type);
    return returns(type);
  };
}

const notType = onIntegers('bitNot', (type) => (type.kind === 'Bool' ? uint8 : type));
const countType = onIntegers('bitCount', () => uint8);
const testType = onIntegers('bitTest', () => uint8);

export const bitFunctions: readonly ScalarFunction[] = [
  bitwise('bitAnd', (a, b) => a & b),
  bitwise('bitOr', (a, b) => a | b),
  bitwise('bitXor', (a, b) => a ^ b),
  shift('bitShiftLeft', 'left'),
  shift('bitShiftRight', 'right'),
  {
    name: 'bitNot',
    arity: [1, 1],
    returnType: ([a]) => notType(a!.type),
    evaluate: (call) =>
      columnFromPatterns(
        call.returns,
        patterns(call.arguments[0]!, call.rows).map((v) => ~v),
      ),
  },
  {
    name: 'bitTest',
    arity: [2, 2],
    returnType: ([a]) => testType(a!.type),
    evaluate: evaluateTest,
  },
  {
    name: 'bitCount',
    arity: [1, 1],
    returnType: ([a]) => countType(a!.type),
    evaluate: evaluateCount,
  },
];
