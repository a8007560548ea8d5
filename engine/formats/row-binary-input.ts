// RowBinary: values one after another, fixed width little end first, strings and arrays behind a
// varuint length, Nullable behind a byte, bitmaps as bare ClickHouse states.

import { MusterError } from '../../base/errors.ts';
import type { InputBuilder } from './input-builder.ts';
import type { InputCursor } from './input-cursor.ts';
import { checkHeaderTypes, type FieldMap, fieldsByName, fieldsInOrder } from './input-header.ts';
import type { RowReader, RowReaderOptions } from './row-reader.ts';
import { readVaruint } from './varuint.ts';

export class RowBinaryReader implements RowReader {
  readonly isText = false;
  readonly #options: RowReaderOptions;
  #map: FieldMap;

  constructor(options: RowReaderOptions) {
    this.#options = options;
    this.#map = fieldsInOrder(options.targets);
  }

  begin(cursor: InputCursor): void {
    const { header, targets, settings } = this.#options;
    if (header === 'none' || cursor.peek() === -1) return;
    const count = readLength(cursor);
    const names = Array.from({ length: count }, () => readName(cursor));
    // Bytes of an unknown column can't be skipped: their type is not known.
    if (settings.useHeader) {
      this.#map = fieldsByName(names, targets, { ...settings, skipUnknownFields: false });
    }
    if (header === 'names-and-types') {
      const types = Array.from({ length: count }, () => readName(cursor));
      checkHeaderTypes(types, this.#map);
    }
  }

  row(cursor: InputCursor): boolean {
    if (cursor.peek() === -1) return false;
    for (const target of this.#map.fields) {
      if (target === undefined) continue;
      cursor.mark(target.position);
      readBinaryValue(cursor, target.builder);
    }
    for (const builder of this.#map.absent) builder.default();
    return true;
  }
}

function readBinaryValue(cursor: InputCursor, builder: InputBuilder): void {
  if (builder.kind === 'list') {
    const count = readLength(cursor);
    for (let i = 0; i < count; i++) readBinaryValue(cursor, builder.items);
    builder.close();
    return;
  }
  const { bytes, pos, end } = cursor;
  const next =
    builder.kind === 'set' ? builder.state(bytes, pos, end) : builder.binary(bytes, pos, end);
  if (next === -1) throw cutOff(cursor);
  cursor.pos = next;
}

function readLength(cursor: InputCursor): number {
  const length = readVaruint(cursor.bytes, cursor.pos, cursor.end);
  if (length === undefined) throw cutOff(cursor);
  cursor.pos = length.end;
  return length.value;
}

function readName(cursor: InputCursor): string {
  const length = readLength(cursor);
  if (!cursor.has(length)) throw cutOff(cursor);
  cursor.pos += length;
  return cursor.bytes.toString('latin1', cursor.pos - length, cursor.pos);
}

/** Throws `needMore` while input may follow. */
function cutOff(cursor: InputCursor): MusterError {
  cursor.endOfWindow();
  return new MusterError('CANNOT_READ_ALL_DATA', 'Cannot read all data: the input ends in a value');
}
