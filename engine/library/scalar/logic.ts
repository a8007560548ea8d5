// and, or with three-valued logic; not, xor. Any number is a truth value: not 0 is true.

import { MusterError } from '../../../base/errors.ts';
import type { Column } from '../../../storage-format/column.ts';
import { type DataType, formatType, isNullable } from '../../../storage-format/data-type.ts';
import { wideHalves } from '../columns/halves.ts';
import { stripNullable } from '../common-type.ts';
import { illegalType } from '../function-errors.ts';
import { numericShape, uint8 } from '../numeric-types.ts';
import type { Argument, ArgumentType, FunctionCall, ScalarFunction } from '../scalar-function.ts';

const isFalse = 0;
const isTrue = 1;
const isUnknown = 2;

function truthType(name: string, types: readonly ArgumentType[]): DataType {
  if (types.length < 2) {
    throw new MusterError(
      'TOO_FEW_ARGUMENTS_FOR_FUNCTION',
      `Number of arguments for function "${name}" should be at least 2: passed ${types.length}`,
    );
  }
  types.forEach(({ type }, i) => {
    const bare = stripNullable(type);
    if (numericShape(bare) === undefined && bare.kind !== 'Nothing') {
      throw new MusterError(
        'ILLEGAL_TYPE_OF_ARGUMENT',
        `Illegal type (${formatType(type)}) of ${i + 1} argument of function ${name}`,
      );
    }
  });
  const bool = types.some(({ type }) => stripNullable(type).kind === 'Bool');
  const inner: DataType = bool ? { kind: 'Bool' } : uint8;
  return types.some(({ type }) => isNullable(type)) ? { kind: 'Nullable', inner } : inner;
}

/** 0, 1 or 2 (unknown) per row; one row for a constant. */
export function truthOf(argument: Argument): Uint8Array {
  const { column } = argument;
  const result = nonZero(column);
  const nulls = column.kind === 'number' || column.kind === 'wide' ? column.nulls : undefined;
  if (nulls !== undefined) {
    for (let i = 0; i < result.length; i++) if (nulls[i] === 1) result[i] = isUnknown;
  }
  return result;
}

function nonZero(column: Column): Uint8Array {
  if (column.kind === 'wide') {
    const halves = wideHalves(column.values);
    const result = new Uint8Array(column.values.length);
    for (let i = 0; i < result.length; i++) {
      result[i] = ((halves[2 * i] ?? 0) | (halves[2 * i + 1] ?? 0)) === 0 ? isFalse : isTrue;
    }
    return result;
  }
  if (column.kind !== 'number') throw new Error('assertion failed: a truth value is a number');
  const { values } = column;
  const result = new Uint8Array(values.length);
  for (let i = 0; i < result.length; i++) result[i] = values[i] === 0 ? isFalse : isTrue;
  return result;
}

/** `decides` settles the outcome alone: false for and, true for or. */
function evaluate(call: FunctionCall, decides: number): Column {
  const result = new Uint8Array(call.rows).fill(1 - decides);
  for (const argument of call.arguments) {
    const truth = truthOf(argument);
    const step = argument.constant ? 0 : 1;
    for (let i = 0; i < result.length; i++) {
      const value = truth[i * step] ?? 0;
      if (value === decides) result[i] = decides;
      else if (value === isUnknown && result[i] !== decides) result[i] = isUnknown;
    }
  }
  return truthColumn(result, isNullable(call.returns));
}

function truthColumn(truth: Uint8Array, nullable: boolean): Column {
  if (!nullable) return { kind: 'number', values: truth };
  const nulls = new Uint8Array(truth.length);
  for (let i = 0; i < truth.length; i++) {
    if (truth[i] !== isUnknown) continue;
    nulls[i] = 1;
    truth[i] = 0;
  }
  return { kind: 'number', values: truth, nulls };
}

function connective(name: string, decides: number): ScalarFunction {
  return {
    name,
    caseInsensitive: true,
    arity: [0, Number.POSITIVE_INFINITY],
    nulls: 'custom',
    returnType: (types) => truthType(name, types),
    evaluate: (call) => evaluate(call, decides),
  };
}

function evaluateXor(call: FunctionCall): Column {
  const result = new Uint8Array(call.rows);
  for (const argument of call.arguments) {
    const truth = truthOf(argument);
    const step = argument.constant ? 0 : 1;
    for (let i = 0; i < result.length; i++) result[i] = (result[i] ?? 0) ^ (truth[i * step] ?? 0);
  }
  return { kind: 'number', values: result };
}

export const logicFunctions: readonly ScalarFunction[] = [
  connective('and', isFalse),
  connective('or', isTrue),
  {
    name: 'xor',
    caseInsensitive: true,
    arity: [2, Number.POSITIVE_INFINITY],
    returnType: (types) => truthType('xor', types),
    evaluate: evaluateXor,
  },
  {
    name: 'not',
    caseInsensitive: true,
    arity: [1, 1],
    returnType: ([a]) => {
      if (numericShape(a!.type) === undefined) throw illegalType('not', a!.type);
      return a!.type.kind === 'Bool' ? a!.type : uint8;
    },
    evaluate: (call) => {
      const truth = truthOf(call.arguments[0]!);
      return { kind: 'number', values: truth.map((value) => 1 - value) };
    },
  },
];
