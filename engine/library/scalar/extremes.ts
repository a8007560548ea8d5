// least and greatest of several values. NULLs are left out; all NULL gives NULL.

import { MusterError } from '../../../base/errors.ts';
import { type Column, isNullAt } from '../../../storage-format/column.ts';
import type { DataType } from '../../../storage-format/data-type.ts';
import { castColumn } from '../cast.ts';
import { compareRows } from '../columns/compare.ts';
import { leastSupertype, stripNullable } from '../common-type.ts';
import { illegalTypes } from '../function-errors.ts';
import { isDateLike, numericShape } from '../numeric-types.ts';
import type { Argument, FunctionCall, ScalarFunction } from '../scalar-function.ts';
import { chooseRows } from './choose.ts';

function extremeType(name: string, types: readonly DataType[]): DataType {
  const bare = types.map(stripNullable);
  const [a, b] = bare;
  if (types.length === 2 && a !== undefined && b !== undefined) {
    const wide = [a, b].some((type) => type.kind === 'Int64' || type.kind === 'UInt64');
    const float = [a, b].some((type) => numericShape(type)?.float === true);
    if (wide && float) throw illegalTypes(name, types);
  }
  const common = leastSupertype(types);
  if (isComparable(stripNullable(common))) return boolAsNumber(common);
  throw illegalTypes(name, types);
}

/** Two Bools make a UInt8 here. */
function boolAsNumber(type: DataType): DataType {
  if (type.kind === 'Bool') return { kind: 'UInt8' };
  if (type.kind !== 'Nullable') return type;
  return { kind: 'Nullable', inner: boolAsNumber(type.inner) };
}

function isComparable(type: DataType): boolean {
  return (
    numericShape(type) !== undefined ||
    isDateLike(type) ||
    ['String', 'UUID', 'Enum8', 'Array', 'Tuple', 'Nothing', 'Interval'].includes(type.kind)
  );
}

function evaluate(call: FunctionCall, sign: 1 | -1): Column {
  const branches = call.arguments.map((argument): Argument => {
    const to = call.returns;
    const column = castColumn(argument.column, argument.type, { to, context: call.context });
    return { type: to, column, constant: argument.constant };
  });
  const choice = new Int32Array(call.rows);
  for (let row = 0; row < call.rows; row++) choice[row] = best(branches, row, sign);
  return chooseRows(branches, { choice, type: call.returns, context: call.context });
}

function best(branches: readonly Argument[], row: number, sign: 1 | -1): number {
  let winner = 0;
  for (let k = 1; k < branches.length; k++) {
    const a = branches[k]!;
    const b = branches[winner]!;
    const at = { a: a.constant ? 0 : row, b: b.constant ? 0 : row };
    if (isNullAt(a.column, at.a)) continue;
    if (isNullAt(b.column, at.b) || compareRows(a.column, b.column, at) * sign < 0) winner = k;
  }
  return winner;
}

function extreme(name: string, sign: 1 | -1): ScalarFunction {
  return {
    name,
    caseInsensitive: true,
    arity: [1, Number.POSITIVE_INFINITY],
    nulls: 'custom',
    returnType: (types) => {
      if (types.length === 0) {
        throw new MusterError('NUMBER_OF_ARGUMENTS_DOESNT_MATCH', `${name} needs arguments`);
      }
      return extremeType(
        name,
        types.map(({ type }) => type),
      );
    },
    evaluate: (call) => evaluate(call, sign),
  };
}

export const extremeFunctions: readonly ScalarFunction[] = [
  extreme('least', 1),
  extreme('greatest', -1),
];
