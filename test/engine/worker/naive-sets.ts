// The naive twin of the set evaluator: a batch's graph over JavaScript Sets of ids, in one piece, with
// no groups, codes or slices. What it says is what every layout must say.

import type { Answer, Ask, SetColumn } from '../../../engine/batch/batch.ts';

export type Id = bigint | string;

/** Row r of a source's bitmap column. */
export type NaiveSource = ReadonlyMap<number, readonly ReadonlySet<Id>[]>;

export function evaluateNaively(
  columns: readonly SetColumn[],
  sources: readonly NaiveSource[],
): readonly (readonly ReadonlySet<Id>[])[] {
  const done: (readonly ReadonlySet<Id>[])[] = [];
  for (const column of columns) done.push(evaluateColumn(column, sources, done));
  return done;
}

export function naiveIds(set: ReadonlySet<Id>): Id[] {
  return [...set].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

/** Counts, flags or lists of ids; undefined for digests, which are compared by classes. */
export function naiveAnswer(ask: Ask, done: readonly (readonly ReadonlySet<Id>[])[]): unknown {
  if (ask.ask === 'rows') return undefined;
  const rows = done[ask.of] ?? [];
  switch (ask.ask) {
    case 'card':
      return rows.map((set) => set.size);
    case 'any':
      return rows.map((set) => (set.size > 0 ? 1 : 0));
    case 'ids':
      return rows.map(naiveIds);
    case 'least':
      return rows.map((set, r) =>
        naiveIds(set)
          .filter((id) => typeof id === 'string' || id >= (ask.from[r] ?? 0n))
          .slice(0, ask.n[r]),
      );
    case 'greatest':
      return rows.map((set, r) => naiveIds(set).reverse().slice(0, ask.n[r]));
    case 'digest':
      return rows.map((set) => rows.findIndex((other) => sameMembers(set, other)));
  }
}

/** A real answer in the twin's terms. */
export function plainAnswer(answer: Answer): unknown {
  switch (answer.ask) {
    case 'card':
      return [...answer.counts];
    case 'any':
      return [...answer.flags];
    case 'digest': {
      const names = Array.from({ length: answer.words.length / 4 }, (_, r) =>
        answer.words.subarray(4 * r, 4 * r + 4).join(),
      );
      return names.map((name) => names.indexOf(name));
    }
    case 'rows':
      return undefined;
    default:
      return Array.from({ length: answer.offsets.length - 1 }, (_, r) =>
        Array.from<Id>(answer.keys.values).slice(answer.offsets[r], answer.offsets[r + 1]),
      );
  }
}

function evaluateColumn(
  column: SetColumn,
  sources: readonly NaiveSource[],
  done: readonly (readonly ReadonlySet<Id>[])[],
): readonly ReadonlySet<Id>[] {
  const rowOf = (node: number, row: number) =>
    (row < 0 ? new Set<Id>() : done[node]?.[row]) ?? fail();
  switch (column.op) {
    case 'stored': {
      const rows = sources[column.source]?.get(column.columnId) ?? fail();
      return Array.from(column.rows, (row) => (row < 0 ? new Set<Id>() : (rows[row] ?? fail())));
    }
    case 'raw':
      return lists(column.ids.offsets, column.ids.ordinals).map(
        (ordinals) => new Set(ordinals.map((o) => column.ids.keys.values[o] ?? fail())),
      );
    case 'grouped':
    case 'here':
      return fail();
    case 'take':
      return Array.from(column.index, (row) => rowOf(column.of, row));
    case 'concat':
      return column.of.flatMap((node) => done[node] ?? fail());
    case 'fold':
      return lists(column.offsets, column.index).map((rows) => {
        const [first, ...rest] = rows.map((row) => rowOf(column.of, row));
        return rest.reduce((a, b) => combine(column.how, a, b), first ?? new Set<Id>());
      });
    case 'pair':
      return (done[column.a] ?? fail()).map((a, r) => combine(column.how, a, rowOf(column.b, r)));
    case 'range':
      return (done[column.of] ?? fail()).map(
        (set, r) =>
          new Set(
            [...set].filter((id) => column.from[r]! <= BigInt(id) && BigInt(id) < column.to[r]!),
          ),
      );
  }
}

function combine(how: string, a: ReadonlySet<Id>, b: ReadonlySet<Id>): ReadonlySet<Id> {
  const onlyA = [...a].filter((id) => !b.has(id));
  if (how === 'andnot') return new Set(onlyA);
  if (how === 'and') return new Set([...a].filter((id) => b.has(id)));
  if (how === 'or') return new Set([...a, ...b]);
  return new Set([...onlyA, ...[...b].filter((id) => !a.has(id))]);
}

function sameMembers(a: ReadonlySet<Id>, b: ReadonlySet<Id>): boolean {
  return a.size === b.size && [...a].every((id) => b.has(id));
}

function lists(offsets: Uint32Array, items: ArrayLike<number>): readonly (readonly number[])[] {
  return Array.from({ length: offsets.length - 1 }, (_, r) =>
    Array.from(items).slice(offsets[r], offsets[r + 1]),
  );
}

function fail(): never {
  throw new Error('the twin was given a broken batch');
}
