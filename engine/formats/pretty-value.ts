// Cells of the formats for people: as text of one or several lines, with a readable number beside a
// large one. A set prints its size, for its bytes are not to be read; named tuples print as JSON.

import { assert, defined } from '../../base/assert.ts';
import { encodeUtf8 } from '../../base/utf8.ts';
import { decodeStringState, decodeUuidState } from '../../storage-format/byte-set-state.ts';
import { decodeWholeState } from '../../storage-format/clickhouse-state.ts';
import { type Column, isNullAt } from '../../storage-format/column.ts';
import {
  type DataType,
  type IntegerName,
  type TupleField,
  valueType,
} from '../../storage-format/data-type.ts';
import type { TextStyle, ValuePrinter } from '../values/value-printer.ts';
import { type CellPrinter, cellPrinter, textPrinter } from './cell-text.ts';
import { jsonPrinter, jsonString } from './json-output-value.ts';
import type { OutputSettings } from './output-settings.ts';
import type { PrettySettings } from './pretty-settings.ts';

const nullText = encodeUtf8('ᴺᵁᴸᴸ');

export interface PrettyOptions {
  readonly settings: OutputSettings;
  readonly pretty: PrettySettings;
}

/** Byte strings. */
export function prettyCell(type: DataType, column: Column, options: PrettyOptions): CellPrinter {
  return cellPrinter(column, prettyPrinter(type, options, 'plain'), nullText);
}

export function isNumeric(type: DataType): boolean {
  return /^U?Int\d|^Float/.test(valueType(type).kind);
}

/** Numbers and times stand at the right of their column. */
export function alignsRight(type: DataType): boolean {
  return isNumeric(type) || /^Date|^Interval/.test(valueType(type).kind);
}

/** ` -- 1.23 million`, or nothing: of other types, NULL, small numbers and those that may be hashes. */
export function numberTip(type: DataType, column: Column, threshold: number): CellPrinter {
  if (!isNumeric(type) || threshold === 0) return () => '';
  return (row) => {
    if (column.kind !== 'number' && column.kind !== 'wide') return '';
    const value = Number(column.values[row]);
    const size = Math.abs(value);
    const looksLikeHash = size > 1e17 && size < 1.844675e19;
    const isLarge = Number.isFinite(value) && size > threshold;
    const isTold = isLarge && !looksLikeHash && !isNullAt(column, row);
    return isTold ? ` -- ${readableQuantity(value)}` : '';
  };
}

const quantities =
  ' thousand million billion trillion quadrillion quintillion sextillion septillion octillion ' +
  'nonillion decillion undecillion duodecillion tredecillion quattuordecillion quindecillion ' +
  'sexdecillion septendecillion octodecillion novemdecillion vigintillion';
const quantityNames = quantities.split(' ');

function readableQuantity(value: number): string {
  let rest = value;
  let at = 0;
  for (; Math.abs(rest) >= 1000 && at < quantityNames.length - 1; at++) rest /= 1000;
  return `${rest.toFixed(2).replace('e+', 'e')} ${quantityNames[at]}`.trimEnd();
}

function prettyPrinter(type: DataType, options: PrettyOptions, style: TextStyle): ValuePrinter {
  const bare = valueType(type);
  if (bare.kind === 'Bitmap') return sizeOf(bare.id);
  if (!isSpecial(bare, options)) return textPrinter(type, options.settings, style);
  if (bare.kind === 'Array') return listPrinter(prettyPrinter(bare.item, options, 'quoted'));
  assert(bare.kind === 'Tuple', 'sets, arrays and tuples are special');
  return isNamed(bare.fields) && options.pretty.namedTuplesAsJson
    ? jsonTuple(bare.fields, options)
    : plainTuple(bare.fields, options);
}

/** Whether sets or named tuples are in it. */
function isSpecial(type: DataType, options: PrettyOptions): boolean {
  const bare = valueType(type);
  if (bare.kind === 'Bitmap') return true;
  if (bare.kind === 'Array') return isSpecial(bare.item, options);
  if (bare.kind !== 'Tuple') return false;
  if (isNamed(bare.fields) && options.pretty.namedTuplesAsJson) return true;
  return bare.fields.some((field) => isSpecial(field.type, options));
}

function isNamed(fields: readonly TupleField[]): boolean {
  return fields.length > 0 && fields.every(({ name }) => name !== undefined);
}

function listPrinter(print: ValuePrinter): ValuePrinter {
  const item = orNull(print);
  return (column, row) => {
    assert(column.kind === 'array', 'an array is printed from an array column');
    const texts: string[] = [];
    const end = column.offsets[row + 1] ?? 0;
    for (let i = column.offsets[row] ?? 0; i < end; i++) texts.push(item(column.items, i));
    return `[${texts.join(',')}]`;
  };
}

function plainTuple(fields: readonly TupleField[], options: PrettyOptions): ValuePrinter {
  const prints = fields.map(({ type }) => orNull(prettyPrinter(type, options, 'quoted')));
  return (column, row) => `(${fieldTexts(prints, column, row).join(',')})`;
}

function orNull(print: ValuePrinter): ValuePrinter {
  return (column, row) => (isNullAt(column, row) ? 'NULL' : print(column, row));
}

/** One line a field; what is nested in them goes on to the right by one. */
function jsonTuple(fields: readonly TupleField[], options: PrettyOptions): ValuePrinter {
  const settings = { ...options.settings, quoteDenormals: true };
  const prints = fields.map(({ type }) => jsonPrinter(type, settings, 2));
  const keys = fields.map(({ name = '' }) =>
    jsonString(encodeUtf8(name), options.settings.escapeSlashes),
  );
  return (column, row) => {
    const texts = fieldTexts(prints, column, row);
    // Tabs that are not escaped are JSON's indentation.
    const lines = texts.map((text, i) => `  ${keys[i]}: ${text.replaceAll('\t', ' ')}`);
    return `{\n${lines.join(',\n')}\n}`;
  };
}

function fieldTexts(
  prints: readonly ValuePrinter[],
  column: Column,
  row: number,
): readonly string[] {
  assert(column.kind === 'tuple', 'a tuple is printed from a tuple column');
  return prints.map((print, i) => print(defined(column.fields[i], 'tuple field'), row));
}

function stateSize(state: Buffer, id: DataType): number {
  if (id.kind === 'String') return decodeStringState(state, 0).values.length;
  if (id.kind === 'UUID') return decodeUuidState(state, 0).values.length;
  return decodeWholeState(state, id.kind as IntegerName).length;
}

function sizeOf(id: DataType): ValuePrinter {
  return (column, row) => {
    if (column.kind === 'wide') return `set of ${column.values[row]}`;
    const state = Buffer.from(column.kind === 'string' ? (column.values[row] ?? '') : '', 'latin1');
    return `set of ${stateSize(state, id)}`;
  };
}
