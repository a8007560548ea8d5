// Text to values by type, as ClickHouse reads a TabSeparated field (unescaped already) or CASTs a
// String. The whole text must be the value. Inside arrays and tuples: nested-parser.ts.

import { MusterError } from '../../base/errors.ts';
import { suggestion } from '../../base/nearest-name.ts';
import {
  type DataType,
  formatType,
  isNullable,
  valueType,
} from '../../storage-format/data-type.ts';
import { parseUuid } from '../../storage-format/uuid.ts';
import type { ColumnBuilder } from './column-builder.ts';
import { parseDateText, parseDateTime64Text, parseDateTimeText } from './date-parser.ts';
import { parseNested } from './nested-parser.ts';
import {
  parseFloatText,
  parseIntegerText,
  parseSmallInteger,
  requireUnsigned,
} from './number-text.ts';
import { timeZone } from './time-zone.ts';
import type { TextContext } from './value-printer.ts';

/** Appends the value that a byte string means; throws a MusterError (6, 38, 41, 72, ...). */
export type ValueParser = (text: string, into: ColumnBuilder) => void;

/**
 * Make one per column. A Nullable type takes `NULL`, `\N` and, unless it is of strings, the empty
 * text for NULL; formats that have their own mark of NULL test it before they call.
 */
export function valueParser(type: DataType, context: TextContext): ValueParser {
  const bare = valueType(type);
  const parse = bareParser(bare, context);
  if (!isNullable(type)) return parse;
  const emptyIsNull = bare.kind !== 'String';
  return (text, into) => {
    if (text === 'NULL' || text === '\\N' || (emptyIsNull && text === '')) into.appendNull();
    else parse(text, into);
  };
}

function bareParser(type: DataType, context: TextContext): ValueParser {
  switch (type.kind) {
    case 'String':
      return (text, into) => into.appendString(text);
    case 'Float32':
    case 'Float64':
      return (text, into) => into.appendNumber(parseFloatText(text, type.kind));
    case 'UUID':
      return (text, into) => into.appendString(parseUuid(text));
    case 'Bool':
      return (text, into) => into.appendNumber(parseBoolText(text));
    case 'Date':
      return (text, into) => into.appendNumber(parseDateText(text));
    case 'DateTime': {
      const zone = timeZone(type.timeZone ?? context.timeZone);
      return (text, into) => into.appendNumber(parseDateTimeText(text, zone));
    }
    case 'DateTime64': {
      const zone = timeZone(type.timeZone ?? context.timeZone);
      const precision = type.precision;
      return (text, into) => into.appendBigInt(parseDateTime64Text(text, precision, zone));
    }
    case 'Enum8':
      return enumParser(type);
    case 'Array':
    case 'Tuple':
      return (text, into) => parseNested(text, type, { into, context });
    default:
      return integerParser(type);
  }
}

function integerParser(type: DataType): ValueParser {
  const name = type.kind === 'Interval' ? 'Int64' : type.kind;
  const unsigned = name.startsWith('U');
  return (text, into) => {
    if (unsigned) requireUnsigned(text, name);
    const small = parseSmallInteger(text);
    if (small !== undefined) into.appendNumber(small);
    else into.appendBigInt(parseIntegerText(text, name));
  };
}

const boolWords = new Map<string, number>([
  ...['1', 'true', 't', 'y', 'yes', 'on', 'enable', 'enabled'].map((w) => [w, 1] as const),
  ...['0', 'false', 'f', 'n', 'no', 'off', 'disable', 'disabled'].map((w) => [w, 0] as const),
]);

function parseBoolText(text: string): number {
  const value = boolWords.get(text.toLowerCase());
  if (value !== undefined) return value;
  throw new MusterError(
    'CANNOT_PARSE_BOOL',
    `Cannot parse boolean value here: '${text}', should be one of true/false, 1/0, T/F, Y/N, ` +
      'Yes/No, On/Off, Enable/Disable, Enabled/Disabled',
  );
}

/** By name; a number is taken for a member's value. */
function enumParser(type: DataType & { readonly kind: 'Enum8' }): ValueParser {
  const values = new Map(type.members.map((member) => [member.name, member.value]));
  for (const { value } of type.members) {
    if (!values.has(String(value))) values.set(String(value), value);
  }
  return (text, into) => {
    const value = values.get(text);
    if (value === undefined) throw unknownElement(type, text);
    into.appendNumber(value);
  };
}

export function unknownElement(
  type: DataType & { readonly kind: 'Enum8' },
  name: string,
): MusterError {
  const names = type.members.map((member) => member.name);
  return new MusterError(
    'UNKNOWN_ELEMENT_OF_ENUM',
    `Unknown element '${name}' for enum ${formatType(type)}${suggestion(name, names)}`,
  );
}
