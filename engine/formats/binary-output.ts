// RowBinary: fixed width little end first, strings and arrays behind a varuint length, Nullable
// behind a byte, bitmaps as their bare state bytes.

import { assert, defined } from '../../base/assert.ts';
import { type Column, isNullAt } from '../../storage-format/column.ts';
import { type DataType, isNullable, valueType } from '../../storage-format/data-type.ts';
import { uuidToBinary } from '../../storage-format/uuid.ts';
import { varuintBytes } from './varuint.ts';

/** Bytes (a byte string) of one row of a column. */
type BinaryPrinter = (column: Column, row: number) => string;

export function binaryPrinter(type: DataType): BinaryPrinter {
  const print = barePrinter(valueType(type));
  if (!isNullable(type)) return print;
  return (column, row) => (isNullAt(column, row) ? '\x01' : `\0${print(column, row)}`);
}

export function binaryString(text: string): string {
  return varuintBytes(text.length) + text;
}

function barePrinter(type: DataType): BinaryPrinter {
  switch (type.kind) {
    case 'String':
      return (column, row) => binaryString(textAt(column, row));
    case 'UUID':
      return (column, row) => uuidToBinary(textAt(column, row));
    case 'Bitmap':
      return textAt;
    case 'Array': {
      const print = binaryPrinter(type.item);
      return (column, row) => {
        assert(column.kind === 'array', 'an array is printed from an array column');
        const start = column.offsets[row] ?? 0;
        const end = column.offsets[row + 1] ?? 0;
        let out = varuintBytes(end - start);
        for (let i = start; i < end; i++) out += print(column.items, i);
        return out;
      };
    }
    case 'Tuple': {
      const prints = type.fields.map((field) => binaryPrinter(field.type));
      return (column, row) => {
        assert(column.kind === 'tuple', 'a tuple is printed from a tuple column');
        return prints.map((p, i) => p(defined(column.fields[i], 'tuple field'), row)).join('');
      };
    }
    default:
      return fixedWidth;
  }
}

/** The bytes as they lie in memory: little end first on every machine that Node runs on. */
function fixedWidth(column: Column, row: number): string {
  assert(column.kind === 'number' || column.kind === 'wide', 'fixed width values');
  const { buffer, byteOffset, BYTES_PER_ELEMENT: size } = column.values;
  return Buffer.from(buffer, byteOffset + row * size, size).toString('latin1');
}

function textAt(column: Column, row: number): string {
  assert(column.kind === 'string', 'strings and states are string columns');
  return column.values[row] ?? '';
}
