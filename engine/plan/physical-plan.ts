// The physical plan as plain data: a graph of operators in topological order, each with its static
// stage number (ENGINE, "Stage numbers"). EXPLAIN prints it; the root executes it (../root).
//
// A node gives a relation of rows; its columns are named by position. `ask` nodes append what the
// workers answered: stage(ask) = stage(input) + 1, every other node runs as soon as its inputs and
// the nodes that its expressions refer to are there. Detail rows are read by the workers, so that
// their scan counts as an ask. Dispatches of a query = its largest stage, or more if rows are many.

import type { DictionaryId, TableSchema } from '../../catalog/schema.ts';
import { groupingColumns } from '../ddl/grouping.ts';
import type { DataType, NamedType } from '../../storage-format/data-type.ts';
import type { AggregateExpression, AskExpression, BoundExpression } from './bound-expression.ts';

export type NodeId = number;

export interface SortKey {
  readonly value: BoundExpression;
  readonly descending: boolean;
  readonly nullsFirst: boolean;
}

/** A stored table as one snapshot knows it; the executor finds the snapshot by the database. */
export interface ScannedTable {
  readonly database: string;
  readonly schema: TableSchema;
  /** Of its id column, whose codes its rows hold. */
  readonly idDictionary?: DictionaryId;
}

export type Operator =
  /**
   * Columns by position in the schema. `where` prunes stripes and may keep any superset. Of detail
   * rows the workers keep those that `filter` holds for, and as few as the first `limit` of them.
   */
  | {
      readonly op: 'scan';
      readonly table: ScannedTable;
      readonly columns: readonly number[];
      readonly where?: BoundExpression;
      readonly filter?: BoundExpression;
      readonly limit?: number;
      /** What is done with the rows where they lie (placed-steps.ts); `types` are the last one's. */
      readonly steps?: readonly PlacedStep[];
      /** Detail rows with an id column: each group's rows are worked off together. */
      readonly byGroup?: true;
      /** Sets that the last step makes are asked about later, and stay where they are. */
      readonly setsStay?: true;
    }
  /** One row without columns. */
  | { readonly op: 'one-row' }
  | { readonly op: 'numbers'; readonly from: bigint; readonly count: bigint }
  | {
      readonly op: 'input';
      readonly structure?: readonly NamedType[];
    }
  /** Files of a table function: `source` of the statement's. */
  | { readonly op: 'files'; readonly label: string; readonly source: number }
  | { readonly op: 'system'; readonly table: string; readonly columns: readonly number[] }
  | { readonly op: 'filter'; readonly input: NodeId; readonly condition: BoundExpression }
  | { readonly op: 'project'; readonly input: NodeId; readonly columns: readonly BoundExpression[] }
  | { readonly op: 'ask'; readonly input: NodeId; readonly asks: readonly AskExpression[] }
  /** Appends one column per array; `left` keeps rows whose arrays are empty. */
  | {
      readonly op: 'array-join';
      readonly input: NodeId;
      readonly left: boolean;
      readonly arrays: readonly BoundExpression[];
    }
  /** Keys first, then one column per aggregate. Without keys exactly one row. */
  | {
      readonly op: 'aggregate';
      readonly input: NodeId;
      readonly keys: readonly BoundExpression[];
      readonly aggregates: readonly AggregateExpression[];
    }
  /** Columns of the left, then of the right. A left row without match gets `nullable` defaults. */
  | {
      readonly op: 'join';
      readonly how: 'cross' | 'inner' | 'left';
      readonly left: NodeId;
      readonly right: NodeId;
      readonly leftKeys: readonly BoundExpression[];
      readonly rightKeys: readonly BoundExpression[];
      readonly missesAreNull: boolean;
    }
  | { readonly op: 'sort'; readonly input: NodeId; readonly keys: readonly SortKey[] }
  | {
      readonly op: 'limit';
      readonly input: NodeId;
      readonly limit: number | undefined;
      readonly offset: number;
    }
  | {
      readonly op: 'limit-by';
      readonly input: NodeId;
      readonly by: readonly BoundExpression[];
      readonly limit: number;
      readonly offset: number;
    }
  /** By the first `columns` columns. */
  | { readonly op: 'distinct'; readonly input: NodeId; readonly columns: number }
  | { readonly op: 'union'; readonly inputs: readonly NodeId[] }
  /** Exactly one row: more are error 125; none is NULL, or error 125 for sets. */
  | { readonly op: 'single-row'; readonly input: NodeId };

/** An operator over the rows of the step before; the first one's are the scan's columns. */
export interface PlacedStep {
  readonly operator: Operator;
  readonly types: readonly DataType[];
}

/** The scan with one more step. */
export function withStep(scan: Scan, { operator, types }: PlacedStep): Scan {
  return { ...scan, steps: [...(scan.steps ?? []), { operator, types }] };
}

type Scan = Extract<Operator, { op: 'scan' }>;

export interface PlanNode {
  readonly operator: Operator;
  readonly types: readonly DataType[];
  readonly stage: number;
  /** Per column, whether somebody reads it (needed-columns.ts). */
  readonly needed: readonly boolean[];
  /** Whether the output needs this node at all. */
  readonly used: boolean;
}

export interface Plan {
  readonly nodes: readonly PlanNode[];
  readonly output: NodeId;
  readonly columns: readonly NamedType[];
  /** The largest stage of a node that the output needs. */
  readonly stages: number;
}

/** Rows of a table that lie whole in one group, with their sets: grouped by columns. */
export function isPlacedScan(operator: Operator): operator is Extract<Operator, { op: 'scan' }> {
  return operator.op === 'scan' && groupingColumns(operator.table.schema) !== undefined;
}

/** Rows of a table without sets and without merging: they live in the workers. */
export function isDetailScan(operator: Operator): operator is Extract<Operator, { op: 'scan' }> {
  if (operator.op !== 'scan') return false;
  const { engine, columns } = operator.table.schema;
  return engine === 'MergeTree' && columns.every((column) => column.type.kind !== 'Bitmap');
}

/** Rows that workers read and the root gathers. */
export function isWorkerScan(operator: Operator): operator is Extract<Operator, { op: 'scan' }> {
  return isDetailScan(operator) || isPlacedScan(operator);
}

/** Whether the operator's rows take a dispatch of their own. */
export function isDispatched(operator: Operator): boolean {
  return operator.op === 'ask' || isWorkerScan(operator);
}

/** Whether a node asks the workers for something that somebody reads. */
export function isAsking({ operator, needed }: PlanNode): boolean {
  return operator.op === 'ask' && needed.slice(-operator.asks.length).includes(true);
}

/** The nodes whose rows this operator reads. */
export function inputsOf(operator: Operator): readonly NodeId[] {
  switch (operator.op) {
    case 'scan':
    case 'one-row':
    case 'numbers':
    case 'input':
    case 'files':
    case 'system':
      return [];
    case 'join':
      return [operator.left, operator.right];
    case 'union':
      return operator.inputs;
    default:
      return [operator.input];
  }
}

/** The expressions that this operator evaluates over its input. */
export function expressionsOf(operator: Operator): readonly BoundExpression[] {
  switch (operator.op) {
    case 'scan':
      return [
        ...(operator.filter === undefined ? [] : [operator.filter]),
        ...(operator.steps ?? []).flatMap((step) => expressionsOf(step.operator)),
      ];
    case 'filter':
      return [operator.condition];
    case 'project':
      return operator.columns;
    case 'ask':
      return operator.asks;
    case 'array-join':
      return operator.arrays;
    case 'aggregate':
      return [...operator.keys, ...operator.aggregates];
    case 'join':
      return [...operator.leftKeys, ...operator.rightKeys];
    case 'sort':
      return operator.keys.map((key) => key.value);
    case 'limit-by':
      return operator.by;
    default:
      return [];
  }
}
