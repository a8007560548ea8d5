// What a scalar function of the library is. The framework (apply-function.ts) does what all share:
// arity, constants, NULL propagation, LowCardinality; a function sees bare values.

import type { Column } from '../../storage-format/column.ts';
import type { DataType } from '../../storage-format/data-type.ts';

/** An argument as the binder knows it: its type and, if it is constant, its one value. */
export interface ArgumentType {
  readonly type: DataType;
  /** A column of one row. */
  readonly constant?: Column;
}

/** An argument as it is evaluated: `constant` columns have one row, others `rows`. */
export interface Argument {
  readonly type: DataType;
  readonly column: Column;
  readonly constant: boolean;
}

/** Settings and facts of the running query that functions may read; fixed for the whole query. */
export interface FunctionContext {
  readonly timeZone: string;
  /** Wall clock at the query's start, ms. */
  readonly now: number;
  readonly database: string;
  readonly user: string;
}

export interface ScalarFunction {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** Whether any spelling of the letters names it, as in ClickHouse. */
  readonly caseInsensitive?: boolean;
  /** Inclusive. */
  readonly arity: readonly [least: number, most: number];
  /** 'propagate' (default): a NULL argument gives NULL. 'custom': the function sees nulls itself. */
  readonly nulls?: 'propagate' | 'custom';
  /** Not a function of its arguments alone (rand), or must not look constant: never folded. */
  readonly volatile?: boolean;
  /** False: the result is never LowCardinality and arguments keep it. Default: as ClickHouse. */
  readonly lowCardinality?: false;
  /** Types without Nullable/LowCardinality unless nulls is 'custom'. Throws 43 and its like. */
  returnType(types: readonly ArgumentType[], context: FunctionContext): DataType;
  /** A column of `rows` rows; one row where every argument is constant (rows = 1 then). */
  evaluate(call: FunctionCall): Column;
}

export interface FunctionCall {
  readonly arguments: readonly Argument[];
  readonly returns: DataType;
  readonly rows: number;
  readonly context: FunctionContext;
}
