// What an aggregate function over plain values is. Aggregates over sets (groupBitmap and its kin)
// are the planner's: they make symbolic sets. Combinators (-If, -Distinct) wrap these.

import type { Column } from '../../storage-format/column.ts';
import type { DataType } from '../../storage-format/data-type.ts';

export interface AggregateFunction {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly caseInsensitive?: boolean;
  readonly arity: readonly [least: number, most: number];
  /** What a group gives whose rows are all NULL: NULL (default), or as if it had no row. */
  readonly ofNulls?: 'null' | 'empty';
  /** Types without Nullable and LowCardinality. */
  returnType(types: readonly DataType[]): DataType;
  /** NULL rows of any argument are skipped by the framework (count() has none). */
  create(types: readonly DataType[]): Aggregation;
}

/** States of all groups of one aggregate, in one object; group numbers are dense from 0. */
export interface Aggregation {
  /** Row i of the columns belongs to group groups[i]. */
  add(columns: readonly Column[], groups: Uint32Array): void;
  /** One row per group [0, groupCount); a group that saw no row gives its empty value. */
  finish(groupCount: number): Column;
  /** Rough bytes held, for the memory budget. */
  bytes(): number;
}

/** Suffixes that wrap an aggregate; the planner makes sense of those that this library does not. */
export const combinatorNames = [
  'If',
  'Distinct',
  'OrNull',
  'OrDefault',
  'Array',
  'ForEach',
  'MergeState',
  'Merge',
  'State',
] as const;
export type CombinatorName = (typeof combinatorNames)[number];

export interface FoundAggregate {
  readonly function: AggregateFunction;
  /** Innermost first: `sumOrNullIf` has OrNull, then If. */
  readonly combinators: readonly CombinatorName[];
}
