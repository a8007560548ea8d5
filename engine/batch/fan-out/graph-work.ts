// Time that evaluating a batch's graph takes: bytes of sets that operators go through and ids that are
// decoded, over all groups; rows of pairs, for each group again, however little its sets are. Sizes of
// sets in between are guessed from their operands.

import { defined } from '../../../base/assert.ts';
import { type Ask, type Batch, operandsOf, type SetColumn } from '../batch.ts';

/** Dense containers go by at 5 GB a second, sparse ones at a quarter of that. */
const setBytesPerMs = 2_000_000;
/** Pairs are mostly counted, all at once (worker/pair-counts.ts). */
const pairBytesPerMs = 10_000_000;
/** Of tiny sets, in one group; found by bench/sets. */
const pairsPerMs = 10_000;
/** Ids encoded, decoded and ordered. */
const idsPerMs = 5_000;
const rawBytes = 4;

type StoredColumn = Extract<SetColumn, { readonly op: 'stored' }>;

/** Sets of one stored node, over all its rows and groups. */
export interface StoredSize {
  readonly bytes: number;
  readonly ids: number;
}

/** Mean over the rows of a node. */
interface RowSize {
  readonly rows: number;
  readonly bytes: number;
  readonly ids: number;
}

export interface GraphWork {
  /** Of all groups together: it grows with the members that each has. */
  readonly membersMs: number;
  /** Of each group, whatever it holds. */
  readonly rowsMs: number;
}

/** `stored` tells the size of each stored node, called once for each. */
export function graphWork(
  batch: Batch,
  stored: (column: StoredColumn, node: number) => StoredSize,
): GraphWork {
  const sizes: RowSize[] = [];
  const paired = new Set<string>();
  let membersMs = 0;
  let pairs = 0;
  let ids = 0;
  for (const [node, column] of batch.sets.entries()) {
    const size =
      column.op === 'stored' ? storedRows(column, stored(column, node)) : sizeOf(column, sizes);
    sizes.push(size);
    if (column.op === 'fold') {
      membersMs += (column.index.length * sizes[column.of]!.bytes) / setBytesPerMs;
    }
    // What two columns share is counted once, whatever is asked about them.
    if (column.op === 'pair' && !paired.has(`${column.a} ${column.b}`)) {
      paired.add(`${column.a} ${column.b}`);
      const [a, b] = [sizes[column.a]!, sizes[column.b]!];
      membersMs += (a.rows * (a.bytes + b.bytes)) / pairBytesPerMs;
      pairs += a.rows;
    }
    if (column.op === 'raw') ids += column.ids.ordinals.length;
    if (column.op === 'range') ids += size.rows * size.ids;
  }
  for (const ask of batch.asks) ids += idsAnswered(ask, sizes);
  return { membersMs: membersMs + ids / idsPerMs, rowsMs: pairs / pairsPerMs };
}

/**
 * Nodes whose sets are needed; of others only counts are, which stored ones have in their indexes. By
 * node: workers tell rows apart (worker/set-graph.ts), which is too much for an estimate.
 */
export function nodesReadAsSets(batch: Batch): readonly boolean[] {
  const wanted = batch.sets.map(() => false);
  const counted = batch.sets.map(() => false);
  for (const ask of batch.asks) {
    if (ask.ask === 'rows') continue;
    (ask.ask === 'card' || ask.ask === 'any' ? counted : wanted)[ask.of] = true;
  }
  for (let node = batch.sets.length - 1; node >= 0; node--) {
    const column = defined(batch.sets[node], 'a node');
    const counts = counted[node] === true;
    const passesOn = column.op === 'take' || column.op === 'concat';
    if (counts && (column.op === 'range' || column.op === 'raw')) wanted[node] = true;
    const counting = counts && (column.op === 'pair' || column.op === 'fold');
    const below = wanted[node] === true || counting ? wanted : counted;
    if (below === wanted || (counts && passesOn)) {
      for (const operand of operandsOf(column)) below[operand] = true;
    }
  }
  return wanted;
}

function storedRows({ rows }: StoredColumn, size: StoredSize): RowSize {
  const count = Math.max(1, rows.length);
  return { rows: rows.length, bytes: size.bytes / count, ids: size.ids / count };
}

function sizeOf(column: Exclude<SetColumn, StoredColumn>, sizes: readonly RowSize[]): RowSize {
  const of = (node: number) => defined(sizes[node], `size of earlier node ${node}`);
  switch (column.op) {
    case 'raw': {
      const rows = column.ids.offsets.length - 1;
      const ids = column.ids.ordinals.length / Math.max(1, rows);
      return { rows, ids, bytes: rawBytes * ids };
    }
    case 'grouped':
      return { rows: column.length, bytes: 0, ids: 0 };
    case 'here':
      return { rows: column.sets.length, bytes: 0, ids: 0 };
    case 'take':
      return { ...of(column.of), rows: column.index.length };
    case 'concat':
      return meanOf(column.of.map(of));
    case 'fold': {
      const rows = column.offsets.length - 1;
      const each = column.how === 'and' ? 1 : column.index.length / Math.max(1, rows);
      return scaled({ ...of(column.of), rows }, each);
    }
    case 'pair': {
      const [a, b] = [of(column.a), of(column.b)];
      if (column.how === 'andnot') return a;
      if (column.how === 'and') return a.bytes < b.bytes ? a : b;
      return { rows: a.rows, bytes: a.bytes + b.bytes, ids: a.ids + b.ids };
    }
    case 'range':
      return of(column.of);
  }
}

function idsAnswered(ask: Ask, sizes: readonly RowSize[]): number {
  if (ask.ask === 'card' || ask.ask === 'any' || ask.ask === 'rows') return 0;
  const { rows, ids } = defined(sizes[ask.of], 'size of an asked node');
  return rows * ids;
}

function meanOf(parts: readonly RowSize[]): RowSize {
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  const mean = (field: 'bytes' | 'ids') =>
    parts.reduce((sum, part) => sum + part.rows * part[field], 0) / Math.max(1, rows);
  return { rows, bytes: mean('bytes'), ids: mean('ids') };
}

function scaled(size: RowSize, by: number): RowSize {
  return { rows: size.rows, bytes: size.bytes * by, ids: size.ids * by };
}
