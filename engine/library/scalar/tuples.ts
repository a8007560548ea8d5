// tuple, tupleElement, and what makes no difference to values: materialize, identity, ignore.

import { MusterError } from '../../../base/errors.ts';
import type { Column } from '../../../storage-format/column.ts';
import type { DataType } from '../../../storage-format/data-type.ts';
import { fullColumn } from '../apply-function.ts';
import { illegalType } from '../function-errors.ts';
import { uint8 } from '../numeric-types.ts';
import type { ArgumentType, FunctionCall, ScalarFunction } from '../scalar-function.ts';

/** Index from 0 of the element that a constant names or numbers (from 1, negative from the end). */
function elementIndex(tuple: DataType, key: { readonly column: Column } | undefined): number {
  if (tuple.kind !== 'Tuple') throw illegalType('tupleElement', tuple);
  const column = key?.column;
  const size = tuple.fields.length;
  if (column?.kind === 'string') {
    const name = column.values[0] ?? '';
    const index = tuple.fields.findIndex((field) => field.name === name);
    if (index >= 0) return index;
    throw new MusterError(
      'NOT_FOUND_COLUMN_IN_BLOCK',
      `Tuple doesn't have element with name '${name}'`,
    );
  }
  if (column?.kind !== 'number' && column?.kind !== 'wide') {
    throw new MusterError(
      'ILLEGAL_TYPE_OF_ARGUMENT',
      'Second argument of tupleElement must be a constant index or name',
    );
  }
  const number = Number(column.values[0] ?? 0);
  const index = number < 0 ? size + number : number - 1;
  if (index >= 0 && index < size) return index;
  throw new MusterError(
    'ARGUMENT_OUT_OF_BOUND',
    `Tuple doesn't have element with index '${number}'`,
  );
}

function keyOf(argument: ArgumentType | undefined): { readonly column: Column } | undefined {
  return argument?.constant === undefined ? undefined : { column: argument.constant };
}

function evaluateElement(call: FunctionCall): Column {
  const [tuple, key] = call.arguments;
  const index = elementIndex(tuple!.type, key);
  const { column } = tuple!;
  if (column.kind !== 'tuple') throw new Error('assertion failed: tupleElement of a tuple');
  return column.fields[index]!;
}

export const tupleFunctions: readonly ScalarFunction[] = [
  {
    name: 'tuple',
    arity: [0, Number.POSITIVE_INFINITY],
    nulls: 'custom',
    lowCardinality: false,
    returnType: (types) => ({ kind: 'Tuple', fields: types.map(({ type }) => ({ type })) }),
    evaluate: (call) => ({
      kind: 'tuple',
      length: call.rows,
      fields: call.arguments.map((argument) => fullColumn(argument, call.rows)),
    }),
  },
  {
    name: 'tupleElement',
    arity: [2, 2],
    nulls: 'custom',
    lowCardinality: false,
    returnType: ([tuple, key]) => {
      const index = elementIndex(tuple!.type, keyOf(key));
      return tuple!.type.kind === 'Tuple' ? tuple!.type.fields[index]!.type : tuple!.type;
    },
    evaluate: evaluateElement,
  },
  {
    name: 'identity',
    arity: [1, 1],
    nulls: 'custom',
    lowCardinality: false,
    returnType: ([a]) => a!.type,
    evaluate: (call) => call.arguments[0]!.column,
  },
  {
    name: 'materialize',
    arity: [1, 1],
    nulls: 'custom',
    lowCardinality: false,
    volatile: true,
    returnType: ([a]) => a!.type,
    evaluate: (call) => fullColumn(call.arguments[0]!, call.rows),
  },
  {
    name: 'ignore',
    arity: [0, Number.POSITIVE_INFINITY],
    nulls: 'custom',
    returnType: () => uint8,
    evaluate: (call) => ({ kind: 'number', values: new Uint8Array(call.rows) }),
  },
];
