import { describe, expect, it } from 'vitest';
import type { ColumnId, ColumnSchema, DictionaryId } from '../../../catalog/schema.ts';
import type { InsertBlock } from '../../../engine/ingest/insert-block.ts';
import { RowStage } from '../../../engine/ingest/row-stage.ts';

const dictionary = 1 as DictionaryId;
const bitmap = { kind: 'Bitmap', id: { kind: 'UInt64' } } as const;
const columns: readonly ColumnSchema[] = [
  { id: 1 as ColumnId, name: 'tag', type: { kind: 'String' } },
  { id: 2 as ColumnId, name: 'seen', type: bitmap, dictionary },
  { id: 3 as ColumnId, name: 'paid', type: bitmap, dictionary },
];

function ids(...rows: bigint[][]) {
  const distinct = [...new Set(rows.flat())];
  let end = 0;
  return {
    kind: 'ids',
    ids: {
      keys: { domain: 'integer', values: BigUint64Array.from(distinct) },
      offsets: Uint32Array.from([0, ...rows.map((row) => (end += row.length))]),
      ordinals: Uint32Array.from(rows.flat().map((id) => distinct.indexOf(id))),
    },
  } as const;
}

describe('staged rows', () => {
  it('interns the ids of all blocks and columns of a dictionary together', () => {
    const stage = new RowStage(columns);
    const tag = (...values: string[]) => ({ kind: 'string', values }) as const;
    const first: InsertBlock = {
      rows: 2,
      columns: [tag('a', 'b'), ids([5n], []), ids([9n], [5n])],
    };
    const second: InsertBlock = { rows: 1, columns: [tag('c'), ids([9n, 7n]), ids([])] };
    stage.add(first);
    stage.add(second);
    expect(stage.rows).toBe(3);
    expect(stage.bytes).toBeGreaterThan(0);
    const staged = stage.take();
    const keys = staged.keys.get(dictionary);
    const members = (column: number) => {
      const lists = staged.members.get(column);
      return Array.from({ length: 3 }, (_, row) =>
        [...(lists?.ordinals.subarray(lists.offsets[row], lists.offsets[row + 1]) ?? [])].map(
          (ordinal) => keys?.values[ordinal],
        ),
      );
    };
    expect(keys?.values.length).toBe(3);
    expect(members(2)).toEqual([[5n], [], [9n, 7n]]);
    expect(members(3)).toEqual([[9n], [5n], []]);
    expect(staged.scalars.get(1)).toEqual(tag('a', 'b', 'c'));
    expect(stage.rows).toBe(0);
  });

  it('takes lists as a format gives them, with repeats, before and after interned ones', () => {
    const given = (...rows: bigint[][]) => {
      let end = 0;
      const offsets = Uint32Array.from([0, ...rows.map((row) => (end += row.length))]);
      const values = BigUint64Array.from(rows.flat());
      return { kind: 'lists', lists: { offsets, ids: { domain: 'integer', values } } } as const;
    };
    const tag = { kind: 'string', values: ['a'] } as const;
    for (const first of [given([5n, 5n, 9n]), ids([5n, 9n])]) {
      const stage = new RowStage(columns);
      stage.add({ rows: 1, columns: [tag, first, ids([])] });
      const before = stage.bytes;
      stage.add({ rows: 1, columns: [tag, given([9n, 4n]), given([5n])] });
      expect(stage.bytes).toBeGreaterThan(before);
      const staged = stage.take();
      const keys = staged.keys.get(dictionary)?.values ?? [];
      const setsOf = (column: number) => {
        const { offsets, ordinals } = staged.members.get(column)!;
        return Array.from(
          { length: offsets.length - 1 },
          (_, row) =>
            new Set(Array.from(ordinals.subarray(offsets[row], offsets[row + 1]), (o) => keys[o])),
        );
      };
      expect([...keys]).toEqual([5n, 9n, 4n]);
      expect(setsOf(2)).toEqual([new Set([5n, 9n]), new Set([9n, 4n])]);
      expect(setsOf(3)).toEqual([new Set(), new Set([5n])]);
    }
  });
});
