// Random graphs of set columns over a world's sources, with every ask over every last node. Seeded:
// the same seed gives the same batch.

import type { Ask, SetColumn } from '../../../engine/batch/batch.ts';
import { IdListBuilder } from '../../../engine/batch/id-list-builder.ts';
import { createInternTable } from '../../../engine/dictionary/intern-table.ts';
import type { Id } from './naive-sets.ts';

interface BatchRecipe {
  readonly random: () => number;
  readonly domain: 'integer' | 'string';
  /** Rows of each source. */
  readonly sources: readonly number[];
  readonly columnId: number;
  /** Ids that literals draw from; some are in no dictionary. */
  readonly ids: readonly Id[];
  readonly nodes: number;
}

export function randomSets(recipe: BatchRecipe): readonly SetColumn[] {
  const columns: SetColumn[] = [];
  const lengths: number[] = [];
  for (let n = 0; n < recipe.nodes; n++) {
    const made = n < 2 ? randomLeaf(recipe, n) : randomColumn(recipe, columns, lengths);
    columns.push(made.column);
    lengths.push(made.length);
  }
  return columns;
}

export function asksOver(
  columns: readonly SetColumn[],
  lengths: readonly number[],
): readonly Ask[] {
  const asks: Ask[] = [];
  const last = columns.length - 1;
  for (let of = Math.max(0, last - 3); of <= last; of++) {
    const rows = lengths[of] ?? 0;
    asks.push({ ask: 'card', of }, { ask: 'any', of }, { ask: 'digest', of });
    asks.push({ ask: 'ids', of, idsMax: 1e9 });
    const n = Float64Array.from({ length: rows }, (_, r) => r % 4);
    const from = BigUint64Array.from({ length: rows }, (_, r) => BigInt(r % 3) * 40n);
    asks.push({ ask: 'least', of, n, from }, { ask: 'greatest', of, n });
  }
  return asks;
}

interface Made {
  readonly column: SetColumn;
  readonly length: number;
}

function randomColumn(
  recipe: BatchRecipe,
  columns: readonly SetColumn[],
  lengths: readonly number[],
): Made {
  const { random } = recipe;
  const of = below(random, columns.length);
  const length = lengths[of] ?? 0;
  switch (below(random, recipe.domain === 'integer' ? 7 : 6)) {
    case 0:
      return randomLeaf(recipe, below(random, 2));
    case 1: {
      const rows = below(random, 9);
      return { column: { op: 'take', of, index: indexes(random, rows, length) }, length: rows };
    }
    case 2: {
      const parts = [of, below(random, columns.length), of].slice(0, 1 + below(random, 3));
      const rows = parts.reduce((sum, part) => sum + (lengths[part] ?? 0), 0);
      return { column: { op: 'concat', of: parts }, length: rows };
    }
    case 3:
    case 4:
      return randomFold(random, of, length);
    case 5: {
      const same = lengths.flatMap((other, node) => (other === length ? [node] : []));
      const how = pick(random, ['and', 'or', 'xor', 'andnot'] as const);
      return { column: { op: 'pair', how, a: of, b: pick(random, same) }, length };
    }
    default: {
      const from = BigUint64Array.from({ length }, () => BigInt(below(random, 120)));
      const to = from.map((bound) => bound + BigInt(below(random, 100)));
      return { column: { op: 'range', of, from, to }, length };
    }
  }
}

function randomFold(random: () => number, of: number, length: number): Made {
  const sizes = Array.from({ length: below(random, 6) }, () => below(random, 5));
  const offsets = Uint32Array.from([0, ...sizes.map((_, r) => total(sizes.slice(0, r + 1)))]);
  const index = indexes(random, total(sizes), length);
  const how = pick(random, ['or', 'and', 'xor'] as const);
  return { column: { op: 'fold', how, of, offsets, index }, length: sizes.length };
}

function randomLeaf(recipe: BatchRecipe, kind: number): Made {
  const { random } = recipe;
  if (kind === 0) {
    const source = below(random, recipe.sources.length);
    const rows = indexes(random, 1 + below(random, 8), recipe.sources[source] ?? 0);
    const { columnId } = recipe;
    return {
      column: { op: 'stored', dictionary: 0, source, columnId, rows },
      length: rows.length,
    };
  }
  const rows = 1 + below(random, 6);
  const table = createInternTable(recipe.domain);
  const builder = new IdListBuilder();
  for (let pair = below(random, 40); pair > 0; pair--) {
    const id = pick(random, recipe.ids);
    const ordinal = new Uint32Array(1);
    table.intern(
      typeof id === 'string'
        ? { domain: 'string', values: [id] }
        : { domain: 'integer', values: BigUint64Array.of(id) },
      ordinal,
    );
    builder.push(below(random, rows), ordinal[0] ?? 0);
  }
  const ids = builder.finish(rows, table.keys());
  return { column: { op: 'raw', dictionary: 0, ids }, length: rows };
}

/** Row numbers, now and then -1; all of them -1 where there are no rows. */
function indexes(random: () => number, count: number, rows: number): Int32Array {
  return Int32Array.from({ length: count }, () =>
    rows === 0 || random() < 0.15 ? -1 : below(random, rows),
  );
}

export function below(random: () => number, bound: number): number {
  return Math.floor(random() * bound);
}

export function pick<T>(random: () => number, from: readonly T[]): T {
  const picked = from[below(random, from.length)];
  if (picked === undefined) throw new Error('nothing to pick from');
  return picked;
}

/** A small seeded generator of numbers in [0, 1). */
export function seeded(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function total(sizes: readonly number[]): number {
  return sizes.reduce((sum, size) => sum + size, 0);
}
