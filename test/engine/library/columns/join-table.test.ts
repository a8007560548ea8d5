import { expect, it } from 'vitest';
import { JoinTable } from '../../../../engine/library/columns/join-table.ts';
import { columnOf } from '../../../../engine/values/column-builder.ts';
import type { DataType } from '../../../../storage-format/data-type.ts';

const type: DataType = { kind: 'Nullable', inner: { kind: 'String' } };

it('pairs equal keys in order, repeats included; NULL matches nothing', () => {
  const table = new JoinTable([type], [columnOf(type, ['a', 'b', 'a', null])], 4);
  const probe = columnOf(type, ['a', null, 'x', 'b']);
  const inner = table.match([probe], 4);
  expect([[...inner.probe], [...inner.build]]).toEqual([
    [0, 0, 3],
    [0, 2, 1],
  ]);
  const outer = table.match([probe], 4, true);
  expect([[...outer.probe], [...outer.build]]).toEqual([
    [0, 0, 1, 2, 3],
    [0, 2, -1, -1, 1],
  ]);
});
