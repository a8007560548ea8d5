// Functions about NULL: isNull, ifNull, nullIf, coalesce, assumeNotNull, toNullable.

import { MusterError } from '../../../base/errors.ts';
import { type Column, isNullAt } from '../../../storage-format/column.ts';
import { type DataType, isNullable } from '../../../storage-format/data-type.ts';
import { applyFunction, resolveFunction } from '../apply-function.ts';
import { nullMask, withoutNulls } from '../columns/nulls.ts';
import { leastSupertype, makeNullable, stripNullable } from '../common-type.ts';
import { uint8 } from '../numeric-types.ts';
import type { Argument, FunctionCall, ScalarFunction } from '../scalar-function.ts';
import { chooseRows } from './choose.ts';
import { comparisonFunctions } from './comparison.ts';

const isNothing = (type: DataType): boolean => stripNullable(type).kind === 'Nothing';

function coalesceType(types: readonly DataType[]): DataType {
  const known = types.filter((type) => !isNothing(type));
  if (known.length === 0) return { kind: 'Nullable', inner: { kind: 'Nothing' } };
  const firstSure = known.findIndex((type) => !isNullable(type));
  const used = firstSure < 0 ? known : known.slice(0, firstSure + 1);
  if (firstSure < 0) return leastSupertype(used);
  return leastSupertype(used.map(stripNullable));
}

/** The first argument that is not NULL, per row. */
function evaluateCoalesce(call: FunctionCall): Column {
  const branches = call.arguments.filter(({ type }) => !isNothing(type));
  if (branches.length === 0) {
    const nulls = new Uint8Array(call.rows).fill(1);
    return { kind: 'number', values: new Uint8Array(call.rows), nulls };
  }
  const last = branches.findIndex(({ type }) => !isNullable(type));
  const used = last < 0 ? branches : branches.slice(0, last + 1);
  const choice = new Int32Array(call.rows).fill(used.length - 1);
  for (let branch = used.length - 2; branch >= 0; branch--) {
    const { column, constant } = used[branch]!;
    for (let i = 0; i < call.rows; i++) if (!isNullAt(column, constant ? 0 : i)) choice[i] = branch;
  }
  const sure = isNullable(call.returns) ? used : used.map(withDefaults);
  return chooseRows(sure, { choice, type: call.returns, context: call.context });
}

/** The zero under a NULL is never chosen; the branch only has to be of a type without NULL. */
function withDefaults(branch: Argument): Argument {
  return { ...branch, type: stripNullable(branch.type), column: withoutNulls(branch.column) };
}

function evaluateIsNull(call: FunctionCall, whenNull: number): Column {
  const { column } = call.arguments[0]!;
  const mask = nullMask(column);
  const values = new Uint8Array(call.rows).fill(1 - whenNull);
  if (mask !== undefined) {
    for (let i = 0; i < values.length; i++) if (mask[i] === 1) values[i] = whenNull;
  }
  return { kind: 'number', values };
}

function evaluateNullIf(call: FunctionCall): Column {
  const [value, other] = call.arguments as readonly [Argument, Argument];
  const equals = comparisonFunctions[0]!;
  const resolved = resolveFunction(
    equals,
    call.arguments.map((a) =>
      a.constant ? { type: a.type, constant: a.column } : { type: a.type },
    ),
    call.context,
  );
  const same = applyFunction(resolved, { ...call, arguments: [value, other] });
  const choice = new Int32Array(call.rows);
  const { column } = same;
  for (let i = 0; i < call.rows; i++) {
    const row = same.constant ? 0 : i;
    const isSame = column.kind === 'number' && column.values[row] === 1 && !isNullAt(column, row);
    choice[i] = isSame ? 1 : 0;
  }
  const nothing: Argument = {
    type: { kind: 'Nullable', inner: { kind: 'Nothing' } },
    column: { kind: 'number', values: new Uint8Array(1), nulls: Uint8Array.of(1) },
    constant: true,
  };
  return chooseRows([value, nothing], { choice, type: call.returns, context: call.context });
}

export const nullFunctions: readonly ScalarFunction[] = [
  {
    name: 'isNull',
    arity: [1, 1],
    nulls: 'custom',
    returnType: () => uint8,
    evaluate: (call) => evaluateIsNull(call, 1),
  },
  {
    name: 'isNotNull',
    arity: [1, 1],
    nulls: 'custom',
    returnType: () => uint8,
    evaluate: (call) => evaluateIsNull(call, 0),
  },
  {
    name: 'ifNull',
    caseInsensitive: true,
    arity: [2, 2],
    nulls: 'custom',
    returnType: ([a, b]) => coalesceType([a!.type, b!.type]),
    evaluate: evaluateCoalesce,
  },
  {
    name: 'coalesce',
    caseInsensitive: true,
    arity: [0, Number.POSITIVE_INFINITY],
    nulls: 'custom',
    returnType: (types) => coalesceType(types.map(({ type }) => type)),
    evaluate: evaluateCoalesce,
  },
  {
    name: 'nullIf',
    caseInsensitive: true,
    arity: [2, 2],
    nulls: 'custom',
    returnType: ([a]) => makeNullable(a!.type),
    evaluate: evaluateNullIf,
  },
  {
    name: 'assumeNotNull',
    arity: [1, 1],
    nulls: 'custom',
    returnType: ([a]) => {
      if (isNothing(a!.type)) {
        throw new MusterError('ILLEGAL_COLUMN', 'Cannot create column with type Nothing');
      }
      return stripNullable(a!.type);
    },
    evaluate: (call) => withoutNulls(call.arguments[0]!.column),
  },
  {
    name: 'toNullable',
    arity: [1, 1],
    nulls: 'custom',
    returnType: ([a]) => makeNullable(a!.type),
    evaluate: (call) => call.arguments[0]!.column,
  },
];
