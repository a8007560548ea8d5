// What all scalar functions share, so that a function sees bare values: arity, LowCardinality,
// constants and NULL. `resolveFunction` types a call once; `applyFunction` evaluates it on blocks.
//
// NULL: rows where an argument is NULL are left out of the evaluation altogether (so no function
// fails on the zero that stands under a NULL) and put back as NULL.

import type { Column } from '../../storage-format/column.ts';
import { type DataType, isNullable } from '../../storage-format/data-type.ts';
import { defaultColumn } from '../values/column-shape.ts';
import { anyNull, withoutNulls } from './columns/nulls.ts';
import { maskIndex, placesIn, repeat, take } from './columns/take.ts';
import { makeNullable, stripLowCardinality, stripNullable } from './common-type.ts';
import { arityError } from './function-errors.ts';
import type { Argument, ArgumentType, FunctionContext, ScalarFunction } from './scalar-function.ts';

export interface ResolvedFunction {
  readonly function: ScalarFunction;
  /** The type of the result as the query sees it (Nullable, LowCardinality). */
  readonly type: DataType;
  /** What the function itself returns. */
  readonly returns: DataType;
  /** A NULL literal among the arguments: every row is NULL. */
  readonly alwaysNull: boolean;
}

/** Types a call. Throws 42 for the number of arguments and what the function throws (43, ...). */
export function resolveFunction(
  scalar: ScalarFunction,
  types: readonly ArgumentType[],
  context: FunctionContext,
): ResolvedFunction {
  const error = arityError(scalar.name, types.length, scalar.arity);
  if (error !== undefined) throw error;
  if (scalar.lowCardinality === false) {
    const type = scalar.returnType(types, context);
    return { function: scalar, type, returns: type, alwaysNull: false };
  }
  const plain = types.map((t) => ({ ...t, type: stripLowCardinality(t.type) }));
  if (scalar.nulls === 'custom') {
    const type = scalar.returnType(plain, context);
    return { function: scalar, type, returns: type, alwaysNull: false };
  }
  if (plain.some(({ type }) => isNullLiteral(type))) {
    const type: DataType = { kind: 'Nullable', inner: { kind: 'Nothing' } };
    return { function: scalar, type, returns: type, alwaysNull: true };
  }
  const bare = plain.map((t) => ({ ...t, type: stripNullable(t.type) }));
  const returns = scalar.returnType(bare, context);
  const nullable = plain.some(({ type }) => isNullable(type));
  const result = nullable ? makeNullable(returns) : returns;
  const type =
    isDictionaryCall(types) && isDictionaryType(returns)
      ? ({ kind: 'LowCardinality', inner: result } as const)
      : result;
  return { function: scalar, type, returns, alwaysNull: false };
}

/**
 * Evaluates a typed call over a block of `rows` rows. The result is constant (one row) when all
 * arguments are and the function is not volatile.
 */
export function applyFunction(
  resolved: ResolvedFunction,
  call: {
    readonly arguments: readonly Argument[];
    readonly rows: number;
    readonly context: FunctionContext;
  },
): Argument {
  const { type } = resolved;
  const constant =
    resolved.function.volatile !== true && call.arguments.every((argument) => argument.constant);
  const rows = constant ? 1 : call.rows;
  if (resolved.alwaysNull) return { type, column: defaultColumn(type, 1), constant: true };
  const evaluate = resolved.function.nulls === 'custom' ? evaluateBare : evaluateNotNull;
  const column = evaluate(resolved, { ...call, rows });
  return { type, column, constant };
}

/** The column of an argument with `rows` rows, constants repeated. */
export function fullColumn(argument: Argument, rows: number): Column {
  return argument.constant ? repeat(argument.column, rows) : argument.column;
}

type Call = Parameters<typeof applyFunction>[1];

function evaluateBare(resolved: ResolvedFunction, call: Call): Column {
  const keepsLowCardinality = resolved.function.lowCardinality === false;
  return resolved.function.evaluate({
    ...call,
    arguments: keepsLowCardinality
      ? call.arguments
      : call.arguments.map((a) => ({ ...a, type: stripLowCardinality(a.type) })),
    returns: resolved.returns,
  });
}

function evaluateNotNull(resolved: ResolvedFunction, call: Call): Column {
  const mask = nullRows(call.arguments, call.rows);
  if (mask === undefined) {
    return resolved.function.evaluate({
      ...call,
      arguments: call.arguments.map(bareArgument),
      returns: resolved.returns,
    });
  }
  const index = maskIndex(mask.map((isNull) => 1 - isNull));
  const present =
    index.length === 0
      ? defaultColumn(resolved.returns, 0)
      : resolved.function.evaluate({
          ...call,
          arguments: call.arguments.map((argument) => {
            const bare = bareArgument(argument);
            return argument.constant ? bare : { ...bare, column: take(bare.column, index) };
          }),
          rows: index.length,
          returns: resolved.returns,
        });
  return take(present, placesIn(index, call.rows), isNullable(resolved.type));
}

function nullRows(argumentList: readonly Argument[], rows: number): Uint8Array | undefined {
  const constants = argumentList.filter((argument) => argument.constant);
  if (
    anyNull(
      constants.map((argument) => argument.column),
      1,
    ) !== undefined
  ) {
    return new Uint8Array(rows).fill(1);
  }
  const others = argumentList.filter((argument) => !argument.constant);
  return anyNull(
    others.map((argument) => argument.column),
    rows,
  );
}

function bareArgument(argument: Argument): Argument {
  const type = stripNullable(stripLowCardinality(argument.type));
  return { type, column: withoutNulls(argument.column), constant: argument.constant };
}

function isNullLiteral(type: DataType): boolean {
  return type.kind === 'Nullable' && type.inner.kind === 'Nothing';
}

/** One LowCardinality column and otherwise constants: ClickHouse runs over the dictionary. */
function isDictionaryCall(types: readonly ArgumentType[]): boolean {
  const full = types.filter(({ constant }) => constant === undefined);
  const constantDictionary = types.length > 0 && full.length === 0;
  const dictionaries = types.filter(({ type }) => type.kind === 'LowCardinality');
  if (constantDictionary) return dictionaries.length > 0;
  return full.length === 1 && full[0]?.type.kind === 'LowCardinality';
}

function isDictionaryType(type: DataType): boolean {
  return !['Array', 'Tuple', 'DateTime64', 'Enum8', 'Nothing', 'Bool'].includes(type.kind);
}
