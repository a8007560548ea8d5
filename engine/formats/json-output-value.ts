// Cells of the JSON formats. In the format JSON tuples and nested arrays stand on lines of their
// own (`indent` is how deep), in the others everything is on one line.

import { assert, defined } from '../../base/assert.ts';
import { encodeUtf8 } from '../../base/utf8.ts';
import { type Column, isNullAt } from '../../storage-format/column.ts';
import { type DataType, valueType } from '../../storage-format/data-type.ts';
import type { ValuePrinter } from '../values/value-printer.ts';
import { printedType, textPrinter } from './cell-text.ts';
import type { OutputSettings } from './output-settings.ts';

/** The depth of tabs of a cell in the format JSON; undefined: everything on one line. */
type Indent = number | undefined;

export function jsonPrinter(
  type: DataType,
  settings: OutputSettings,
  indent?: Indent,
): ValuePrinter {
  const print = barePrinter(valueType(printedType(type)), settings, indent);
  return (column, row) => (isNullAt(column, row) ? 'null' : print(column, row));
}

/** A byte string in quotes. */
export function jsonString(text: string, escapeSlashes: boolean): string {
  if (!needsEscape.test(text)) return `"${text}"`;
  const body = text.replace(escaped, (match) => escapeOne(match, escapeSlashes));
  return `"${body}"`;
}

function barePrinter(type: DataType, settings: OutputSettings, indent: Indent): ValuePrinter {
  switch (type.kind) {
    case 'Array':
      return arrayPrinter(type.item, settings, indent);
    case 'Tuple':
      return tuplePrinter(type, settings, indent);
    case 'Float32':
    case 'Float64':
      return floatPrinter(type, settings);
    case 'String':
    case 'UUID':
    case 'Enum8':
    case 'Date':
    case 'DateTime':
    case 'DateTime64': {
      const print = textPrinter(type, settings, 'plain');
      return (column, row) => jsonString(print(column, row), settings.escapeSlashes);
    }
    case 'Int64':
    case 'UInt64':
    case 'Interval':
      return settings.quote64
        ? quotedPrinter(type, settings)
        : textPrinter(type, settings, 'plain');
    default:
      return textPrinter(type, settings, 'plain');
  }
}

function quotedPrinter(type: DataType, settings: OutputSettings): ValuePrinter {
  const print = textPrinter(type, settings, 'plain');
  return (column, row) => `"${print(column, row)}"`;
}

function floatPrinter(type: DataType, settings: OutputSettings): ValuePrinter {
  const print = textPrinter(type, settings, 'plain');
  return (column, row) => {
    assert(column.kind === 'number', 'floats are numbers');
    const text = print(column, row);
    if (Number.isFinite(column.values[row])) return text;
    return settings.quoteDenormals ? `"${text}"` : 'null';
  };
}

function arrayPrinter(item: DataType, settings: OutputSettings, indent: Indent): ValuePrinter {
  const nested = valueType(item).kind === 'Array' || valueType(item).kind === 'Tuple';
  const inner = indent === undefined || !nested ? undefined : indent + 1;
  const print = jsonPrinter(item, settings, inner);
  return (column, row) => {
    assert(column.kind === 'array', 'an array is printed from an array column');
    const end = column.offsets[row + 1] ?? 0;
    const parts: string[] = [];
    for (let i = column.offsets[row] ?? 0; i < end; i++) parts.push(print(column.items, i));
    if (inner === undefined || parts.length === 0) return `[${parts.join(',')}]`;
    return onLines('[', parts, inner);
  };
}

function tuplePrinter(type: DataType, settings: OutputSettings, indent: Indent): ValuePrinter {
  assert(type.kind === 'Tuple', 'a tuple type');
  const inner = indent === undefined ? undefined : indent + 1;
  const prints = type.fields.map((field) => jsonPrinter(field.type, settings, inner));
  const named =
    settings.namedTuplesAsObjects &&
    type.fields.length > 0 &&
    type.fields.every((field) => field.name !== undefined);
  const colon = inner === undefined ? ':' : ': ';
  const keys = type.fields.map((field) =>
    named ? jsonString(encodeUtf8(field.name ?? ''), settings.escapeSlashes) + colon : '',
  );
  const open = named ? '{' : '[';
  return (column, row) => {
    assert(column.kind === 'tuple', 'a tuple is printed from a tuple column');
    const parts = prints.map((print, i) => keys[i] + print(fieldAt(column, i), row));
    if (inner === undefined) return open + parts.join(',') + (named ? '}' : ']');
    return onLines(open, parts, inner);
  };
}

function onLines(open: '[' | '{', parts: readonly string[], depth: number): string {
  const tabs = '\t'.repeat(depth);
  const close = open === '{' ? '}' : ']';
  return `${open}\n${tabs}${parts.join(`,\n${tabs}`)}\n${tabs.slice(1)}${close}`;
}

function fieldAt(column: Column & { readonly kind: 'tuple' }, i: number): Column {
  return defined(column.fields[i], 'tuple field');
}

// U+2028 and U+2029 (e2 80 a8, e2 80 a9 as bytes) end lines in old JavaScript: escaped.
// oxlint-disable-next-line no-control-regex -- control characters are what is escaped
const needsEscape = /[\0-\x1f"\\/\xe2]/;
// oxlint-disable-next-line no-control-regex -- control characters are what is escaped
const escaped = /[\0-\x1f"\\/]|\xe2\x80[\xa8\xa9]/g;

const letters: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '"': '\\"',
  '\\': '\\\\',
};

function escapeOne(match: string, escapeSlashes: boolean): string {
  if (match === '/') return escapeSlashes ? '\\/' : '/';
  if (match.length === 3) return match.endsWith('\xa8') ? '\\u2028' : '\\u2029';
  const hex = match.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  return letters[match] ?? `\\u${hex}`;
}
