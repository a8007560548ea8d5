// What all plain aggregates share: arity, LowCardinality, rows left out for NULL, the combinators
// -If, -Distinct, -OrNull and -OrDefault, and the Nullable result.

import { MusterError } from '../../base/errors.ts';
import { grownArray } from '../../base/grown-array.ts';
import type { Column } from '../../storage-format/column.ts';
import { type DataType, formatType, isNullable } from '../../storage-format/data-type.ts';
import { defaultColumn } from '../values/column-shape.ts';
import { DistinctRows } from './aggregate/distinct.ts';
import { groupsNeeded } from './aggregate/group-count.ts';
import type {
  AggregateFunction,
  Aggregation,
  CombinatorName,
  FoundAggregate,
} from './aggregate-function.ts';
import { anyNull, withNulls, withoutNulls } from './columns/nulls.ts';
import { maskIndex, take } from './columns/take.ts';
import { takeOrDefault } from './columns/take-or-default.ts';
import { makeNullable, stripLowCardinality, stripNullable } from './common-type.ts';
import { arityError } from './function-errors.ts';
import { numericShape } from './numeric-types.ts';

/** A typed call: `create` makes one object that holds the states of all groups. */
interface ResolvedAggregate {
  readonly type: DataType;
  /** Its `add` takes the columns of all arguments (with -If: the condition last), nulls and all. */
  create(): Aggregation;
}

/** `distinct`: written as f(DISTINCT ...). Throws 42, 43 and, for other combinators, 48. */
export function typeAggregate(
  found: FoundAggregate,
  types: readonly DataType[],
  distinct = false,
): ResolvedAggregate {
  const shape = shapeOf(found, distinct);
  const plain = types.map(stripLowCardinality);
  const condition = shape.isIf ? plain.at(-1) : undefined;
  if (shape.isIf) checkCondition(found.function.name, condition);
  const values = shape.isIf ? plain.slice(0, -1) : plain;
  const error = arityError(found.function.name, values.length, found.function.arity);
  if (error !== undefined) throw error;
  const bare = values.map(stripNullable);
  const nullLiteral = values.some((t) => t.kind === 'Nullable' && t.inner.kind === 'Nothing');
  if (nullLiteral) return ofNothing(found.function);
  const returns = found.function.returnType(bare);
  const nullable =
    shape.orNull || (found.function.ofNulls !== 'empty' && values.some((type) => isNullable(type)));
  const type = nullable ? makeNullable(returns) : returns;
  const create = () => new FilteredAggregation(found.function, { ...shape, types: bare, type });
  return { type, create };
}

interface Shape {
  readonly isIf: boolean;
  readonly distinct: boolean;
  readonly orNull: boolean;
  readonly orDefault: boolean;
}

function shapeOf(found: FoundAggregate, distinct: boolean): Shape {
  const has = (name: CombinatorName): boolean => found.combinators.includes(name);
  for (const combinator of found.combinators) {
    if (['If', 'Distinct', 'OrNull', 'OrDefault'].includes(combinator)) continue;
    throw new MusterError(
      'NOT_IMPLEMENTED',
      `Combinator -${combinator} of aggregate function ${found.function.name} is not supported`,
    );
  }
  return {
    isIf: has('If'),
    distinct: distinct || has('Distinct'),
    orNull: has('OrNull'),
    orDefault: has('OrDefault'),
  };
}

function checkCondition(name: string, type: DataType | undefined): void {
  const bare = type === undefined ? undefined : stripNullable(type);
  if (bare !== undefined && (bare.kind === 'Nothing' || numericShape(bare)?.float === false))
    return;
  throw new MusterError(
    'ILLEGAL_TYPE_OF_ARGUMENT',
    `Illegal type ${type === undefined ? 'nothing' : formatType(type)} of last argument ` +
      `for aggregate function ${name}If`,
  );
}

/** An argument that is NULL throughout. */
function ofNothing(fn: AggregateFunction): ResolvedAggregate {
  const type: DataType =
    fn.ofNulls === 'empty'
      ? fn.returnType([{ kind: 'Nothing' }])
      : { kind: 'Nullable', inner: { kind: 'Nothing' } };
  return {
    type,
    create: () => ({
      add: () => undefined,
      finish: (groupCount) => defaultColumn(type, groupCount),
      bytes: () => 0,
    }),
  };
}

interface Filtering extends Shape {
  readonly types: readonly DataType[];
  readonly type: DataType;
}

class FilteredAggregation implements Aggregation {
  readonly #inner: Aggregation;
  readonly #shape: Filtering;
  readonly #distinct: DistinctRows | undefined;
  /** Groups that got a row; kept only where their absence shows as NULL or as a default. */
  #seen: Uint8Array | undefined;

  constructor(fn: AggregateFunction, shape: Filtering) {
    this.#inner = fn.create(shape.types);
    this.#shape = shape;
    this.#distinct = shape.distinct ? new DistinctRows(shape.types) : undefined;
    this.#seen = isNullable(shape.type) || shape.orDefault ? new Uint8Array(0) : undefined;
  }

  add(columns: readonly Column[], groups: Uint32Array): void {
    const values = this.#shape.isIf ? columns.slice(0, -1) : columns;
    const mask = this.#wanted(values, columns.at(-1), groups.length);
    let bare = values.map(withoutNulls);
    let rows = groups;
    if (mask !== undefined) {
      const index = maskIndex(mask);
      bare = bare.map((column) => take(column, index));
      rows = pick(groups, index);
    }
    if (this.#distinct !== undefined) {
      const index = this.#distinct.firstRows(bare, rows);
      bare = bare.map((column) => take(column, index));
      rows = pick(rows, index);
    }
    if (rows.length > 0) this.#inner.add(bare, rows);
    this.#mark(rows);
  }

  finish(groupCount: number): Column {
    const column = this.#inner.finish(groupCount);
    if (this.#seen === undefined) return column;
    const seen = grownArray(this.#seen, groupCount);
    if (this.#shape.orDefault) {
      const index = Int32Array.from({ length: groupCount }, (_, i) => (seen[i] === 1 ? i : -1));
      return takeOrDefault(column, index, this.#shape.type);
    }
    const nulls = Uint8Array.from({ length: groupCount }, (_, group) => 1 - (seen[group] ?? 0));
    return withNulls(column, nulls);
  }

  bytes(): number {
    return this.#inner.bytes() + (this.#distinct?.bytes() ?? 0);
  }

  /** 1 for the rows that count; undefined when all do. */
  #wanted(
    values: readonly Column[],
    condition: Column | undefined,
    rows: number,
  ): Uint8Array | undefined {
    const nulls = anyNull(values, rows);
    let mask = nulls?.map((isNull) => 1 - isNull);
    if (!this.#shape.isIf || condition === undefined) return mask;
    if (condition.kind !== 'number' && condition.kind !== 'wide') return new Uint8Array(rows);
    mask ??= new Uint8Array(rows).fill(1);
    for (let i = 0; i < rows; i++) {
      if (Number(condition.values[i] ?? 0) === 0 || condition.nulls?.[i] === 1) mask[i] = 0;
    }
    return mask;
  }

  #mark(groups: Uint32Array): void {
    if (this.#seen === undefined || groups.length === 0) return;
    this.#seen = grownArray(this.#seen, groupsNeeded(groups));
    for (let i = 0; i < groups.length; i++) this.#seen[groups[i] ?? 0] = 1;
  }
}

function pick(groups: Uint32Array, index: Int32Array): Uint32Array {
  const result = new Uint32Array(index.length);
  for (let i = 0; i < index.length; i++) result[i] = groups[index[i] ?? 0] ?? 0;
  return result;
}
