// Ids as a column of their SQL type: a view of the 64-bit patterns where the type is as wide.

import type { Column } from '../../storage-format/column.ts';
import type { DataType } from '../../storage-format/data-type.ts';
import type { KeyList } from '../../storage-format/key-list.ts';
import { numberArray } from '../values/column-shape.ts';

export function idColumn(keys: KeyList, id: DataType): Column {
  if (keys.domain !== 'integer') return { kind: 'string', values: keys.values };
  if (id.kind === 'UInt64') return { kind: 'wide', values: keys.values };
  const { buffer, byteOffset, length } = keys.values;
  if (id.kind === 'Int64') {
    return { kind: 'wide', values: new BigInt64Array(buffer, byteOffset, length) };
  }
  const halves = new Uint32Array(buffer, byteOffset, 2 * length);
  const values = numberArray(id, length);
  for (let i = 0; i < length; i++) values[i] = halves[2 * i] as number;
  return { kind: 'number', values };
}
