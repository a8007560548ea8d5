// Parses SQL type names, as in CREATE TABLE and CAST, into data types. ClickHouse's names and its
// most used aliases; anything else is UNKNOWN_TYPE and the message says which name. The inverse of
// data-type.ts's formatType.

import { MusterError } from '../base/errors.ts';
import { suggestion } from '../base/nearest-name.ts';
import { encodeUtf8 } from '../base/utf8.ts';
import { type DataType, type EnumMember, formatType, type TupleField } from './data-type.ts';

const simpleNames = [
  'Int8',
  'Int16',
  'Int32',
  'Int64',
  'UInt8',
  'UInt16',
  'UInt32',
  'UInt64',
  'Float32',
  'Float64',
  'Bool',
  'String',
  'UUID',
  'Date',
  'Nothing',
] as const;

// Upper case: SQL names that ClickHouse takes in any case.
const aliases: Readonly<Record<string, string>> = {
  TINYINT: 'Int8',
  SMALLINT: 'Int16',
  INT: 'Int32',
  INTEGER: 'Int32',
  BIGINT: 'Int64',
  FLOAT: 'Float32',
  REAL: 'Float32',
  DOUBLE: 'Float64',
  BOOLEAN: 'Bool',
  TEXT: 'String',
  VARCHAR: 'String',
  CHAR: 'String',
  BLOB: 'String',
  TIMESTAMP: 'DateTime',
};

const parametricNames = [
  'DateTime',
  'DateTime64',
  'Enum8',
  'Array',
  'Tuple',
  'Nullable',
  'LowCardinality',
  'AggregateFunction',
];
const integerNames: ReadonlySet<string> = new Set(simpleNames.slice(0, 8));
const nestingMax = 64;

/** Throws UNKNOWN_TYPE, naming the type, for what isn't a type that Muster stores. */
export function parseType(name: string): DataType {
  const cursor: Cursor = { text: name, at: 0, depth: 0 };
  const type = parseOne(cursor);
  skipSpace(cursor);
  if (cursor.at !== name.length) unknown(name, `unexpected '${name.slice(cursor.at)}'`);
  return type;
}

interface Cursor {
  readonly text: string;
  at: number;
  depth: number;
}

function parseOne(cursor: Cursor): DataType {
  if (++cursor.depth > nestingMax) unknown(cursor.text, `nested deeper than ${nestingMax}`);
  const written = parseWord(cursor);
  const name = aliases[written.toUpperCase()] ?? written;
  const type = parseNamed(cursor, name);
  cursor.depth--;
  return type;
}

function parseNamed(cursor: Cursor, name: string): DataType {
  const simple = simpleNames.find((known) => known === name);
  if (simple !== undefined) {
    if (simple === 'String') skipLength(cursor);
    return { kind: simple };
  }
  switch (name) {
    case 'DateTime':
      return parseDateTime(cursor);
    case 'DateTime64':
      return parseDateTime64(cursor);
    case 'Enum8':
      return { kind: 'Enum8', members: parseMembers(cursor) };
    case 'Array':
      return { kind: 'Array', item: parseArgument(cursor) };
    case 'Tuple':
      return { kind: 'Tuple', fields: parseFields(cursor) };
    case 'Nullable':
      return parseNullable(cursor);
    case 'LowCardinality':
      return { kind: 'LowCardinality', inner: parseArgument(cursor) };
    case 'AggregateFunction':
      return parseAggregate(cursor);
    default:
      return unknownName(cursor.text, name);
  }
}

// VARCHAR(255): ClickHouse ignores the length.
function skipLength(cursor: Cursor): void {
  if (!take(cursor, '(')) return;
  parseInteger(cursor);
  expect(cursor, ')');
}

function parseArgument(cursor: Cursor): DataType {
  expect(cursor, '(');
  const type = parseOne(cursor);
  expect(cursor, ')');
  return type;
}

function parseNullable(cursor: Cursor): DataType {
  const inner = parseArgument(cursor);
  if (['Array', 'Tuple', 'Nullable', 'LowCardinality', 'Bitmap'].includes(inner.kind)) {
    unknown(cursor.text, `${formatType(inner)} cannot be inside Nullable`);
  }
  return { kind: 'Nullable', inner };
}

function parseDateTime(cursor: Cursor): DataType {
  if (!take(cursor, '(')) return { kind: 'DateTime' };
  const timeZone = parseString(cursor);
  expect(cursor, ')');
  return { kind: 'DateTime', timeZone };
}

function parseDateTime64(cursor: Cursor): DataType {
  if (!take(cursor, '(')) return { kind: 'DateTime64', precision: 3 };
  const precision = parseInteger(cursor);
  if (precision < 0 || precision > 9) unknown(cursor.text, `precision ${precision} is not 0 to 9`);
  const timeZone = take(cursor, ',') ? parseString(cursor) : undefined;
  expect(cursor, ')');
  return timeZone === undefined
    ? { kind: 'DateTime64', precision }
    : { kind: 'DateTime64', precision, timeZone };
}

function parseMembers(cursor: Cursor): EnumMember[] {
  const members: EnumMember[] = [];
  expect(cursor, '(');
  do {
    const name = encodeUtf8(parseString(cursor));
    const last = members.at(-1)?.value;
    const value = take(cursor, '=') ? parseInteger(cursor) : last === undefined ? 1 : last + 1;
    if (value < -128 || value > 127) unknown(cursor.text, `${value} does not fit Enum8`);
    if (members.some((m) => m.name === name || m.value === value)) {
      unknown(cursor.text, `member '${name}' = ${value} repeats a name or a value`);
    }
    members.push({ name, value });
  } while (take(cursor, ','));
  expect(cursor, ')');
  return members.sort((a, b) => a.value - b.value);
}

function parseFields(cursor: Cursor): TupleField[] {
  const fields: TupleField[] = [];
  expect(cursor, '(');
  if (take(cursor, ')')) return fields;
  do {
    const name = parseFieldName(cursor);
    const type = parseOne(cursor);
    fields.push(name === undefined ? { type } : { name, type });
  } while (take(cursor, ','));
  expect(cursor, ')');
  return fields;
}

/** A word directly followed by another word is a field's name. */
function parseFieldName(cursor: Cursor): string | undefined {
  skipSpace(cursor);
  const match = /^(\w+|`[^`]+`)\s+(?=[A-Za-z_])/.exec(cursor.text.slice(cursor.at));
  if (match === null) return undefined;
  cursor.at += match[0].length;
  return match[1]?.replaceAll('`', '');
}

function parseAggregate(cursor: Cursor): DataType {
  expect(cursor, '(');
  const aggregate = parseWord(cursor);
  if (aggregate !== 'groupBitmap') {
    unknown(cursor.text, `only AggregateFunction(groupBitmap, ...) is stored, not ${aggregate}`);
  }
  expect(cursor, ',');
  const id = parseOne(cursor);
  expect(cursor, ')');
  if (!integerNames.has(id.kind) && id.kind !== 'String' && id.kind !== 'UUID') {
    unknown(cursor.text, `ids are integers, String or UUID, not ${formatType(id)}`);
  }
  return { kind: 'Bitmap', id };
}

function parseWord(cursor: Cursor): string {
  skipSpace(cursor);
  const word = /^\w+/.exec(cursor.text.slice(cursor.at))?.[0];
  if (word === undefined) return unknown(cursor.text, 'a type name is missing');
  cursor.at += word.length;
  return word;
}

function parseInteger(cursor: Cursor): number {
  skipSpace(cursor);
  const digits = /^-?\d{1,9}/.exec(cursor.text.slice(cursor.at))?.[0];
  if (digits === undefined) return unknown(cursor.text, 'a number is missing');
  cursor.at += digits.length;
  return Number(digits);
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', 0: '\0', b: '\b' };

function parseString(cursor: Cursor): string {
  expect(cursor, "'");
  let out = '';
  for (;;) {
    const char = cursor.text[cursor.at++];
    if (char === undefined) return unknown(cursor.text, 'a string does not end');
    if (char === '\\') {
      const escaped = cursor.text[cursor.at++] ?? '';
      out += escapes[escaped] ?? escaped;
    } else if (char !== "'") out += char;
    else if (cursor.text[cursor.at] === "'") out += cursor.text[cursor.at++];
    else return out;
  }
}

function take(cursor: Cursor, char: string): boolean {
  skipSpace(cursor);
  if (cursor.text[cursor.at] !== char) return false;
  cursor.at++;
  return true;
}

function expect(cursor: Cursor, char: string): void {
  if (!take(cursor, char)) unknown(cursor.text, `expected '${char}' at ${cursor.at + 1}`);
}

function skipSpace(cursor: Cursor): void {
  while (/\s/.test(cursor.text[cursor.at] ?? '')) cursor.at++;
}

function unknownName(text: string, name: string): never {
  const near = suggestion(name, [...simpleNames, ...parametricNames]);
  return unknown(text, `unknown data type family: ${name}${near}`);
}

function unknown(text: string, why: string): never {
  throw new MusterError('UNKNOWN_TYPE', `${text} is not a type that Muster stores: ${why}`);
}
