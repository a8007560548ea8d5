// A batch: all that one stage of a query asks of the workers, as plain data. The same batch goes to
// every slice (group x code range); it travels as bytes (batch-codec.ts) even inside one process,
// and a worker needs nothing but it and the store. ENGINE: rows at the root, sets in the slices.
//
// Set columns are symbolic vectors: node i of `sets` is a vector of sets, row r is one set. Nodes
// refer only to nodes before them. Nodes are per operator, never per row.

import type { SegmentEntry, StripeEntry } from '../../catalog/entry.ts';
import type { CodeRange } from '../../storage-format/bitmap.ts';
import type { Column } from '../../storage-format/column.ts';
import type { KeyDomain, KeyList } from '../../storage-format/key-list.ts';
import type { SetVector } from '../../storage-format/set-vector.ts';
import type { FunctionContext } from '../library/scalar-function.ts';
import type { BoundExpression } from '../plan/bound-expression.ts';
import type { PlanNode } from '../plan/physical-plan.ts';
import type { RowLimits } from '../root/evaluation.ts';
import type { CarriedIndex } from './carried-indexes.ts';
import type { IdLists } from './id-lists.ts';
import type { WorkerUsage } from './usage.ts';

/** Of batches and of all messages about them: both ends must speak the same. */
export const batchFormat = 2;

export interface Batch {
  readonly format: typeof batchFormat;
  readonly namespace: number;
  readonly queryId: string;
  /** Absolute wall-clock milliseconds; a worker stops there. */
  readonly deadline: number;
  readonly sources: readonly StripeSource[];
  readonly dictionaries: readonly DictionaryRef[];
  readonly sets: readonly SetColumn[];
  readonly fragments: readonly Fragment[];
  readonly asks: readonly Ask[];
  /** All that this batch goes to, in order: what decides whose a fragment's stripes are. */
  readonly slices?: readonly Slice[];
  /** Of parts of the sources, as far as the root had to read them itself. */
  readonly carried?: readonly CarriedIndex[];
}

/** Stripes of one table, in scan order; row r of the source is row r - rowBase of its stripe. */
export interface StripeSource {
  readonly groups: number;
  readonly stripes: readonly StripeRef[];
}

/** Bytes and cardinality of its groups help the root to share work out; they don't travel. */
export type StripeRef = Pick<StripeEntry, 'shape' | 'rows' | 'parts'> &
  Partial<Pick<StripeEntry, 'groupBytes' | 'groupCardinality'>>;

/** Without the rest of a catalog entry. */
export function stripeRef(entry: StripeEntry): StripeRef {
  const { shape, rows, parts, groupBytes, groupCardinality } = entry;
  return { shape, rows, parts, groupBytes, groupCardinality };
}

/** What a worker needs to encode and decode ids of one dictionary, pinned by the snapshot. */
export interface DictionaryRef {
  readonly dictionary: number;
  readonly domain: KeyDomain;
  readonly groups: number;
  /** Grouped by columns: an id may have a code in every group. */
  readonly byColumns?: true;
  readonly nextCodes: readonly number[];
  readonly segments: readonly SegmentRef[];
}

export type SegmentRef = Omit<SegmentEntry, 'dictionary' | 'first'>;

export type FoldHow = 'or' | 'and' | 'xor';
export type PairHow = FoldHow | 'andnot';

/** `dictionary` indexes Batch.dictionaries; both sides of a pair and all of a fold share it. */
export type SetColumn =
  /** Rows of a bitmap column; -1 is the empty set. */
  | {
      readonly op: 'stored';
      readonly dictionary: number;
      readonly source: number;
      readonly columnId: number;
      readonly rows: Int32Array;
    }
  /** Literal ids; unknown ones belong to the last code range of their hash's group. */
  | { readonly op: 'raw'; readonly dictionary: number; readonly ids: IdLists }
  /** Of groups of rows, made where these lie: row i is of keys[i]; who isn't there is the empty set. */
  | {
      readonly op: 'grouped';
      readonly dictionary: number;
      readonly fragment: number;
      /** Of what the fragment gives. */
      readonly column: number;
      readonly keys: readonly Column[];
      readonly length: number;
    }
  /** Sets that are in this process: of a worker's own batches, which never travel. */
  | { readonly op: 'here'; readonly dictionary: number; readonly sets: SetVector }
  | { readonly op: 'take'; readonly of: number; readonly index: Int32Array }
  | { readonly op: 'concat'; readonly of: readonly number[] }
  /** Row i folds index[offsets[i], offsets[i+1]); an empty list is the empty set. */
  | {
      readonly op: 'fold';
      readonly how: FoldHow;
      readonly of: number;
      readonly offsets: Uint32Array;
      readonly index: Int32Array;
    }
  | {
      readonly op: 'pair';
      readonly how: PairHow;
      readonly a: number;
      readonly b: number;
    }
  /** Ids in [from, to) per row, unsigned 64-bit patterns; integer domain. */
  | {
      readonly op: 'range';
      readonly of: number;
      readonly from: BigUint64Array;
      readonly to: BigUint64Array;
    };

/** Nodes that a node is made of. */
export function operandsOf(column: SetColumn): readonly number[] {
  switch (column.op) {
    case 'stored':
    case 'raw':
    case 'grouped':
    case 'here':
      return [];
    case 'pair':
      return [column.a, column.b];
    case 'concat':
      return column.of;
    default:
      return [column.of];
  }
}

/** How often each node is an operand, or asked about. */
export function nodeUses(sets: readonly SetColumn[], asks: readonly Ask[]): readonly number[] {
  const uses = sets.map(() => 0);
  for (const column of sets) for (const operand of operandsOf(column)) uses[operand]!++;
  for (const ask of asks) if (ask.ask !== 'rows') uses[ask.of]!++;
  return uses;
}

/**
 * Detail rows: read and filtered in the workers, gathered at the root in row order. Each stripe of the
 * source is read by one slice alone (share.ts).
 */
export interface Fragment {
  readonly source: number;
  /** Ids of the columns that are read. */
  readonly columns: readonly number[];
  /** So many of them, from the front, are answered; the others are read for the filter. */
  readonly answered: number;
  /** Absent: all rows. */
  readonly filter?: RowFilter;
  /** A slice may stop after its first so many rows. */
  readonly limit?: number;
  /** TOO_MANY_ROWS beyond it, in any one slice. */
  readonly rowsMax: number;
  /** Of rows that lie whole in a group: instead of all the above. */
  readonly placed?: PlacedWork;
}

/**
 * Work on rows where they lie: of a table that is grouped by columns each group's are read and worked
 * off by the first slice of that group; of detail rows, which have no dictionaries here, each slice
 * does its share of the stripes. A set that is answered is the array of its ids.
 */
export interface PlacedWork {
  /** The scan, then what is done with its rows; each reads the node before. */
  readonly nodes: readonly PlanNode[];
  /** Of each stripe of the source: rows are merged within a partition. */
  readonly partitions: readonly string[];
  /** Index into Batch.dictionaries for each bitmap column that is read, by column id. */
  readonly dictionaries: readonly (readonly [columnId: number, dictionary: number])[];
  readonly functions: FunctionContext;
  readonly limits: RowLimits;
  /** Sets of the batch that the nodes look up. */
  readonly sets?: readonly LookedUpSet[];
  /** Random: sets that the last node makes stay, and are asked for later under this name. */
  readonly stay?: string;
}

/** What column `column` of node `node` of the query's plan is: the one row of `set`, of Batch.sets. */
export interface LookedUpSet {
  readonly node: number;
  readonly column: number;
  readonly set: number;
}

/** Columns are positions in Fragment.columns; all else that the condition reads is constant. */
export interface RowFilter {
  readonly condition: BoundExpression;
  readonly functions: FunctionContext;
}

/** Every ask is over all rows of its node; its answer is merged over slices by one fixed rule. */
export type Ask =
  /** Sum. */
  | { readonly ask: 'card'; readonly of: number }
  /** Or: is any member there. */
  | { readonly ask: 'any'; readonly of: number }
  /** Sum of 128-bit hashes of members: equal sets have equal digests. */
  | { readonly ask: 'digest'; readonly of: number }
  /**
   * Union, in ascending unsigned order of ids. `idsMax`: error beyond it, never a cut. `order`: as they
   * come, for who goes through all ids once; what is read for them is not kept.
   */
  | {
      readonly ask: 'ids';
      readonly of: number;
      readonly idsMax: number;
      readonly order?: 'codes';
    }
  /** The n smallest ids >= from of each row; merge by id, keep n. */
  | {
      readonly ask: 'least';
      readonly of: number;
      readonly n: Float64Array;
      readonly from: BigUint64Array;
    }
  /** The n largest ids of each row. */
  | { readonly ask: 'greatest'; readonly of: number; readonly n: Float64Array }
  | { readonly ask: 'rows'; readonly fragment: number };

/** A unit of parallel work. Ranges of one group partition [0, 2^32). */
export interface Slice {
  readonly group: number;
  readonly codes: CodeRange;
}

/** What a worker evaluates. */
export interface Invocation {
  /** Random, fresh for each attempt. */
  readonly id: string;
  /** The root's wall clock, ms. */
  readonly sentAt: number;
  readonly batch: Batch;
  readonly slices: readonly Slice[];
}

/**
 * Answers in the order of Batch.asks: of one slice, or of several, merged. Those of all replies are
 * together the slices that were asked, each once.
 */
export interface SliceReply {
  readonly slices: readonly Slice[];
  readonly answers: readonly Answer[];
}

export interface InvocationReply {
  /** Of the invocation. */
  readonly id: string;
  readonly format: typeof batchFormat;
  readonly replies: readonly SliceReply[];
  /** Of this worker, and of those that it asked. */
  readonly usages: readonly WorkerUsage[];
  /** By an inner node, to workers. */
  readonly sent?: FanOutCounts;
}

/** Invocations on their way: first ones, second ones of slow ones, those that adapters sent again. */
export interface FanOutCounts {
  readonly invocations: number;
  readonly hedged: number;
  readonly retried: number;
}

export type Answer =
  | { readonly ask: 'card'; readonly counts: Float64Array }
  | { readonly ask: 'any'; readonly flags: Uint8Array }
  /** Four 32-bit words per row, added with carry over 128 bits. */
  | { readonly ask: 'digest'; readonly words: Uint32Array }
  /** Row i holds keys[offsets[i], offsets[i+1]), ascending (`greatest`: descending; or as asked). */
  | {
      readonly ask: 'ids' | 'least' | 'greatest';
      readonly offsets: Uint32Array;
      readonly keys: KeyList;
    }
  | {
      readonly ask: 'rows';
      readonly rows: number;
      /** Source row numbers, so that the root can order them. */
      readonly rowNumbers: Float64Array;
      readonly columns: readonly Column[];
    };
