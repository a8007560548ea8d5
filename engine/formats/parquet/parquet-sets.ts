// Bitmap columns out of Parquet: lists of ids, one a row; or binary values that are whole states, or
// what else the setting aggregate_function_input_format says.

import { MusterError } from '../../../base/errors.ts';
import { type Column, isNullAt } from '../../../storage-format/column.ts';
import { type DataType, formatType, valueType } from '../../../storage-format/data-type.ts';
import { domainOfIds, type KeyList } from '../../../storage-format/key-list.ts';
import { IdListBuilder } from '../../batch/id-list-builder.ts';
import { createInternTable } from '../../dictionary/intern-table.ts';
import type { InsertColumn } from '../../ingest/insert-block.ts';
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

function setsOfLists({ offsets, items }: Lists, item: DataType, id: DataType): InsertColumn {
  checkIntegersFit(items, item, id);
  const table = createInternTable(domainOfIds(id));
  const count = offsets.at(-1) ?? 0;
  const ordinals = new Uint32Array(count);
  if (items.kind === 'number' && 'internNumbers' in table) {
    table.internNumbers(items.values, ordinals);
  } else {
    table.intern(keysOf(items), ordinals);
  }
  const lists = new IdListBuilder();
  const rows = offsets.length - 1;
  const rowOf = new Uint32Array(count);
  for (let row = 0; row < rows; row++) rowOf.fill(row, offsets[row], offsets[row + 1]);
  if (hasNulls(items)) {
    for (let i = 0; i < count; i++) {
      if (!isNullAt(items, i)) lists.push(rowOf[i] as number, ordinals[i] as number);
    }
  } else {
    lists.add(rowOf, ordinals);
  }
  return { kind: 'ids', ids: lists.finish(rows, table.keys()) };
}

function hasNulls(items: Column): boolean {
  return items.kind !== 'array' && items.kind !== 'tuple' && items.nulls?.includes(1) === true;
}

function keysOf(items: Column): KeyList {
  if (items.kind === 'wide') {
    const { buffer, byteOffset, length } = items.values;
    return { domain: 'integer', values: new BigUint64Array(buffer, byteOffset, length) };
  }
  if (items.kind === 'string') return { domain: 'string', values: items.values };
  throw new Error('ids are integers, strings or UUIDs');
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
