// What string functions share: their arguments as arrays of byte strings, and the shapes that most
// of them have (a text from a text, a number from a text, a flag from two).

import { assert } from '../../../base/assert.ts';
import type { Column } from '../../../storage-format/column.ts';
import type { DataType } from '../../../storage-format/data-type.ts';
import { illegalType } from '../function-errors.ts';
import { string, uint8 } from '../numeric-types.ts';
import type { Argument, ArgumentType, ScalarFunction } from '../scalar-function.ts';

/** The texts of `rows` rows; a constant is repeated. */
export function texts(argument: Argument, rows: number): readonly string[] {
  assert(argument.column.kind === 'string', 'a text argument');
  const { values } = argument.column;
  return argument.constant ? new Array<string>(rows).fill(values[0] ?? '') : values;
}

export function requireText(name: string, ...types: readonly (ArgumentType | undefined)[]): void {
  for (const argument of types) {
    if (argument !== undefined && argument.type.kind !== 'String') {
      throw illegalType(name, argument.type);
    }
  }
}

interface Naming {
  readonly aliases?: readonly string[];
  readonly caseInsensitive?: boolean;
}

export function textToText(
  name: string,
  compute: (text: string) => string,
  naming: Naming = {},
): ScalarFunction {
  return textFunction(name, naming, {
    returns: string,
    column: (values) => ({ kind: 'string', values: values.map((text) => compute(text)) }),
  });
}

export function textToNumber(
  name: string,
  compute: (text: string) => number,
  options: Naming & { readonly returns: DataType },
): ScalarFunction {
  const { returns, ...naming } = options;
  return textFunction(name, naming, {
    returns,
    column: (values) =>
      returns.kind === 'UInt64'
        ? { kind: 'wide', values: BigUint64Array.from(values, (text) => BigInt(compute(text))) }
        : { kind: 'number', values: Int32Array.from(values, (text) => compute(text)) },
  });
}

function textFunction(
  name: string,
  naming: Naming,
  result: {
    readonly returns: DataType;
    readonly column: (values: readonly string[]) => Column;
  },
): ScalarFunction {
  return {
    name,
    ...naming,
    arity: [1, 1],
    returnType: ([a]) => {
      requireText(name, a);
      return result.returns;
    },
    evaluate: (call) => result.column(texts(call.arguments[0]!, call.rows)),
  };
}

/** A test of a text against another. */
export function textTest(
  name: string,
  test: (text: string, other: string) => boolean,
  naming: Naming = {},
): ScalarFunction {
  return {
    name,
    ...naming,
    arity: [2, 2],
    returnType: ([a, b]) => {
      requireText(name, a, b);
      return uint8;
    },
    evaluate: (call) => {
      const x = texts(call.arguments[0]!, call.rows);
      const y = texts(call.arguments[1]!, call.rows);
      const values = new Uint8Array(call.rows);
      for (let i = 0; i < values.length; i++) values[i] = test(x[i] ?? '', y[i] ?? '') ? 1 : 0;
      return { kind: 'number', values };
    },
  };
}

/** Counts as UInt64, the type of lengths and positions. */
export function countColumn(counts: readonly number[]): {
  readonly kind: 'wide';
  readonly values: BigUint64Array;
} {
  const values = new BigUint64Array(counts.length);
  const halves = new Uint32Array(values.buffer);
  for (let i = 0; i < counts.length; i++) halves[2 * i] = counts[i] ?? 0;
  return { kind: 'wide', values };
}
