// Bitmap columns out of Parquet: lists of ids, one a row; or binary values that are whole states, or
// what else the setting aggregate_function_input_format says.

import { MusterError } from '../../../base/errors.ts';
import { type Column, isNullAt } from '../../../storage-format/column.ts';
import { type DataType, formatType, valueType } from '../../../storage-format/data-type.ts';
import { domainOfIds, type KeyList } from '../../../storage-format/key-list.ts';
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
  const wanted = hasNulls(items) ? (i: number): boolean => !isNullAt(items, i) : undefined;
  return { kind: 'ids', ids: { keys: table.keys(), ...sortedRows(offsets, ordinals, wanted) } };
}

/** Up to here an insertion sort in place beats a call of the typed array's own sort. */
const insertionSortMax = 24;

/** Each row's ordinals ascending, each once; those that are not wanted are left out. In place. */
function sortedRows(
  offsets: Uint32Array,
  ordinals: Uint32Array,
  wanted: ((i: number) => boolean) | undefined,
): { readonly offsets: Uint32Array; readonly ordinals: Uint32Array } {
  const kept = new Uint32Array(offsets.length);
  let end = 0;
  for (let row = 0; row + 1 < offsets.length; row++) {
    const start = end;
    for (let i = offsets[row] as number; i < (offsets[row + 1] as number); i++) {
      if (wanted === undefined || wanted(i)) ordinals[end++] = ordinals[i] as number;
    }
    end = sortedOnce(ordinals, start, end);
    kept[row + 1] = end;
  }
  return { offsets: kept, ordinals: ordinals.slice(0, end) };
}

/** Where the distinct values of the range end, once it is sorted. */
function sortedOnce(values: Uint32Array, start: number, end: number): number {
  if (end - start > insertionSortMax) values.subarray(start, end).sort();
  else insertionSort(values, start, end);
  let kept = start;
  for (let i = start; i < end; i++) {
    if (i === start || values[i] !== values[kept - 1]) values[kept++] = values[i] as number;
  }
  return kept;
}

function insertionSort(values: Uint32Array, start: number, end: number): void {
  for (let i = start + 1; i < end; i++) {
    const value = values[i] as number;
    let at = i - 1;
    while (at >= start && (values[at] as number) > value) {
      values[at + 1] = values[at] as number;
      at--;
    }
    values[at + 1] = value;
  }
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
