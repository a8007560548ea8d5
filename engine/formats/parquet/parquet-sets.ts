// Bitmap columns out of Parquet: lists of ids, one a row; or binary values that are whole states, or
// what else the setting aggregate_function_input_format says.

import { MusterError } from '../../../base/errors.ts';
import { type Column, isNullAt, type NumberArray } from '../../../storage-format/column.ts';
import { type DataType, formatType, valueType } from '../../../storage-format/data-type.ts';
import { domainOfIds, type KeyList } from '../../../storage-format/key-list.ts';
import type { InsertColumn } from '../../ingest/insert-block.ts';
import { take } from '../../library/columns/take.ts';
import { numericShape } from '../../library/numeric-types.ts';
import { IdSetBuilder, type SetInput } from '../set-builder.ts';
import { checkIntegersFit } from './integer-fit.ts';

interface SetTarget {
  /** Of the ids. */
  readonly id: DataType;
  readonly setInput: SetInput;
}

/** `from`: the column's type in the file. NULL lists and NULL ids are nobody. */
export function setsOfColumn(column: Column, from: DataType, target: SetTarget): InsertColumn {
  const source = valueType(from);
  if (source.kind === 'String' && column.kind === 'string') return setsOfTexts(column, target);
  if (source.kind === 'Array' && column.kind === 'array' && isIdOf(source.item, target.id)) {
    return setsOfLists(column, source.item, target.id);
  }
  if (target.setInput === 'value' && column.kind !== 'array' && isIdOf(source, target.id)) {
    const rows = column.kind === 'tuple' ? 0 : column.values.length;
    const offsets = Uint32Array.from({ length: rows + 1 }, (_, row) => row);
    return setsOfLists({ kind: 'array', offsets, items: column }, from, target.id);
  }
  throw new MusterError(
    'CANNOT_CONVERT_TYPE',
    `A column of ${formatType(from)} is no set of ${formatType(target.id)} ids: expected a list of ids, or binary states`,
  );
}

function isIdOf(item: DataType, id: DataType): boolean {
  const bare = valueType(item);
  if (id.kind === 'String' || id.kind === 'UUID') return bare.kind === id.kind;
  const shape = numericShape(bare);
  return shape !== undefined && !shape.float && bare.kind !== 'Bool';
}

type Lists = Extract<Column, { readonly kind: 'array' }>;

function setsOfLists(lists: Lists, item: DataType, id: DataType): InsertColumn {
  const { offsets, items } = hasNulls(lists.items) ? withoutNullItems(lists) : lists;
  checkIntegersFit(items, item, id);
  return { kind: 'lists', lists: { offsets, ids: keysOf(items, domainOfIds(id)) } };
}

function hasNulls(items: Column): boolean {
  return items.kind !== 'array' && items.kind !== 'tuple' && items.nulls?.includes(1) === true;
}

function withoutNullItems({ offsets, items }: Lists): Lists {
  const kept: number[] = [];
  const left = new Uint32Array(offsets.length);
  for (let row = 0; row + 1 < offsets.length; row++) {
    for (let i = offsets[row]!; i < offsets[row + 1]!; i++) if (!isNullAt(items, i)) kept.push(i);
    left[row + 1] = kept.length;
  }
  return { kind: 'array', offsets: left, items: take(items, Int32Array.from(kept)) };
}

function keysOf(items: Column, domain: KeyList['domain']): KeyList {
  if (items.kind === 'wide') {
    const { buffer, byteOffset, length } = items.values;
    return { domain: 'integer', values: new BigUint64Array(buffer, byteOffset, length) };
  }
  if (items.kind === 'number') return { domain: 'integer', values: widened(items.values) };
  if (items.kind === 'string' && domain !== 'integer') return { domain, values: items.values };
  throw new Error('ids are integers, strings or UUIDs');
}

/** Sign-extended. */
function widened(values: NumberArray): BigUint64Array {
  const halves = new Int32Array(2 * values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    halves[2 * i] = value;
    halves[2 * i + 1] = value < 0 ? -1 : 0;
  }
  return new BigUint64Array(halves.buffer);
}

type Texts = Extract<Column, { readonly kind: 'string' }>;

function setsOfTexts(column: Texts, { id, setInput }: SetTarget): InsertColumn {
  const builder = new IdSetBuilder(id, setInput);
  column.values.forEach((value, row) => {
    if (column.nulls?.[row] === 1) {
      builder.null();
      return;
    }
    const bytes = Buffer.from(value, 'latin1');
    builder.text(bytes, 0, bytes.length);
  });
  return builder.finish();
}
