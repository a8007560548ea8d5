// ClickHouse's Native format: blocks of columns, each with its name and type. States of groupBitmap
// come out as their bytes, to be decoded set by set (decoded-sets.ts). A type that isn't known here
// ends the file: its bytes can't be stepped over.
//
//   varuint columns | varuint rows | columns x (text name | text type | values)

import { MusterError } from '../../base/errors.ts';
import type { Column } from '../../storage-format/column.ts';
import type { NamedType } from '../../storage-format/data-type.ts';
import { parseType } from '../../storage-format/data-type-parser.ts';
import { NativeCursor, needMoreBytes } from './native-cursor.ts';
import { readNativeValues } from './native-values.ts';

export interface NativeBlock {
  readonly rows: number;
  readonly columns: readonly NamedType[];
  /** Bitmap columns: strings of their states' bytes. */
  readonly values: readonly Column[];
}

const blockBytesMax = 1024 * 1024 * 1024;
const columnsMax = 10_000;

export async function* readNative(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<NativeBlock> {
  const chunks = bytes[Symbol.asyncIterator]();
  let buffer: Buffer = Buffer.alloc(0);
  let ended = false;
  let wanted = 1;
  for (;;) {
    const pieces = [buffer];
    let have = buffer.length;
    while (!ended && have < wanted) {
      const next = await chunks.next();
      if (next.done === true) {
        ended = true;
        break;
      }
      pieces.push(Buffer.from(next.value));
      have += next.value.length;
    }
    if (pieces.length > 1) buffer = Buffer.concat(pieces);
    if (buffer.length === 0) return;
    const parsed = tryBlock(buffer);
    if (parsed === undefined) {
      if (ended) throw new MusterError('CANNOT_READ_ALL_DATA', 'the Native data ends in a block');
      wanted = 2 * buffer.length + 1;
      if (wanted > blockBytesMax)
        throw new MusterError('INCORRECT_DATA', 'a Native block too long');
      continue;
    }
    buffer = buffer.subarray(parsed.end);
    wanted = 1;
    if (parsed.block.rows > 0) yield parsed.block;
  }
}

/** Undefined while the block has not all come. */
function tryBlock(
  buffer: Buffer,
): { readonly block: NativeBlock; readonly end: number } | undefined {
  const cursor = new NativeCursor(buffer);
  try {
    const count = cursor.varuint();
    const rows = cursor.varuint();
    if (count > columnsMax || rows > 2 ** 31) throw notNative(`${count} columns, ${rows} rows`);
    const columns: NamedType[] = [];
    const values: Column[] = [];
    for (let i = 0; i < count; i++) {
      const name = cursor.text();
      const type = cursor.text();
      columns.push({ name, type: typeNamed(type) });
      values.push(readNativeValues(cursor, type, rows));
    }
    return { block: { rows, columns, values }, end: cursor.at };
  } catch (error) {
    if (error === needMoreBytes) return undefined;
    throw error;
  }
}

/** FixedString is held as String. */
function typeNamed(name: string): NamedType['type'] {
  return /^FixedString\(\d+\)$/.test(name) ? { kind: 'String' } : parseType(name);
}

function notNative(why: string): MusterError {
  return new MusterError('INCORRECT_DATA', `not a block of the Native format: ${why}`);
}
