// Mistakes of evaluating sets in a slice: rows dropped because nobody of theirs is here, rows that
// stand for no set, operators taken for others.

import type { SetColumn } from '../../../engine/batch/batch.ts';
import {
  type Asked,
  bySlice,
  changeSets,
  countsIn,
  type Invoke,
  type Mutant,
  type Run,
} from './mutant.ts';

type Fold = Extract<SetColumn, { readonly op: 'fold' }>;
type Pair = Extract<SetColumn, { readonly op: 'pair' }>;

export const setMutants: readonly Mutant[] = [
  {
    name: 'sets that are empty in a slice are left out of an AND',
    mistake: 'rows whose slice is empty',
    invoke: bySlice(async (one, run) => {
      const operands = one.batch.sets.flatMap((column) => (isAnd(column) ? [column.of] : []));
      const counts = await countsIn(one, run, operands);
      return changed(one, (column, node) => {
        const original = one.batch.sets[node]!;
        if (!isAnd(column) || !isAnd(original)) return column;
        return withoutEmpty(column, counts.get(original.of)!);
      });
    }),
  },
  {
    name: 'rows of both sides are paired after empty ones were dropped',
    mistake: 'keys ragged between slices',
    invoke: bySlice(pairRagged),
  },
  {
    name: 'a row without a set takes the first one',
    mistake: 'rows without a set',
    invoke: rewriting((column) => {
      if (column.op === 'take') return { ...column, index: column.index.map(zeroed) };
      return column.op === 'stored' ? { ...column, rows: column.rows.map(zeroed) } : column;
    }),
  },
  {
    name: 'an empty list of sets folds the first one',
    mistake: 'rows without a set',
    invoke: rewriting((column) => (column.op === 'fold' ? withoutEmptyLists(column) : column)),
  },
  {
    name: 'AND is OR',
    mistake: 'keys ragged between slices',
    invoke: pairs((pair) => (pair.how === 'and' ? { ...pair, how: 'or' } : pair)),
  },
  {
    name: 'XOR is OR',
    mistake: 'keys ragged between slices',
    invoke: pairs((pair) => (pair.how === 'xor' ? { ...pair, how: 'or' } : pair)),
  },
  {
    name: 'ANDNOT takes the left from the right',
    mistake: 'keys ragged between slices',
    invoke: pairs((pair) => (pair.how === 'andnot' ? { ...pair, a: pair.b, b: pair.a } : pair)),
  },
  {
    name: 'a fold of XOR is one of OR',
    mistake: 'rows whose slice is empty',
    invoke: rewriting((column) =>
      column.op === 'fold' && column.how === 'xor' ? { ...column, how: 'or' } : column,
    ),
  },
  {
    name: 'ranges hold their upper end',
    mistake: 'ranks and replacements by slice',
    invoke: rewriting((column) =>
      column.op === 'range' ? { ...column, to: column.to.map((id) => id + 1n) } : column,
    ),
  },
  {
    name: 'ranges are empty',
    mistake: 'ranks and replacements by slice',
    invoke: rewriting((column) =>
      column.op === 'range' ? { ...column, to: column.from } : column,
    ),
  },
];

function rewriting(change: (column: SetColumn) => SetColumn): Invoke {
  return async (asked, run) => await run(changed(asked, (column) => change(column)));
}

function pairs(change: (pair: Pair) => Pair): Invoke {
  return rewriting((column) => (column.op === 'pair' ? change(column) : column));
}

function changed(one: Asked, change: Parameters<typeof changeSets>[1]): Asked {
  return { ...one, batch: changeSets(one.batch, change) };
}

function isAnd(column: SetColumn): column is Fold {
  return column.op === 'fold' && column.how === 'and';
}

function zeroed(row: number): number {
  return Math.max(0, row);
}

function withoutEmpty(fold: Fold, counts: Float64Array): Fold {
  const kept = listsOf(fold).map((list) => list.filter((row) => row >= 0 && counts[row]! > 0));
  return withLists(fold, kept);
}

function withoutEmptyLists(fold: Fold): Fold {
  const lists = listsOf(fold);
  return withLists(
    fold,
    lists.map((list) => (list.length === 0 && fold.index.length > 0 ? [0] : list)),
  );
}

function listsOf({ offsets, index }: Fold): readonly (readonly number[])[] {
  return Array.from({ length: offsets.length - 1 }, (_, r) => [
    ...index.subarray(offsets[r], offsets[r + 1]),
  ]);
}

function withLists(fold: Fold, lists: readonly (readonly number[])[]): Fold {
  const offsets = new Uint32Array(lists.length + 1);
  lists.forEach((list, i) => {
    offsets[i + 1] = offsets[i]! + list.length;
  });
  return { ...fold, offsets, index: Int32Array.from(lists.flat()) };
}

async function pairRagged(one: Asked, run: Run): Promise<Asked> {
  const sides = one.batch.sets.flatMap((column) =>
    column.op === 'pair' ? [column.a, column.b] : [],
  );
  const counts = await countsIn(one, run, sides);
  return changed(one, (column, node, add) => {
    const original = one.batch.sets[node]!;
    if (column.op !== 'pair' || original.op !== 'pair') return column;
    const [a, b] = ([original.a, original.b] as const).map((side) => moveUp(counts.get(side)!));
    return {
      ...column,
      a: add({ op: 'take', of: column.a, index: a! }),
      b: add({ op: 'take', of: column.b, index: b! }),
    };
  });
}

/** Rows that have somebody, moved up over the others; the empty set below. */
function moveUp(counts: Float64Array): Int32Array {
  const index = new Int32Array(counts.length).fill(-1);
  let at = 0;
  counts.forEach((count, row) => {
    if (count > 0) index[at++] = row;
  });
  return index;
}
