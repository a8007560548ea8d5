// Which builder gathers values of which type.

import { assert } from '../../base/assert.ts';
import { MusterError } from '../../base/errors.ts';
import { nearestName } from '../../base/nearest-name.ts';
import { type DataType, formatType } from '../../storage-format/data-type.ts';
import { timeZone } from '../values/time-zone.ts';
import { dateTime64Parser, dateTimeParser, parseDate } from './date-input.ts';
import type { InputBuilder, ScalarBuilder } from './input-builder.ts';
import { integerRanges } from './integer-ranges.ts';
import { isInteger, notLike, parseSmallInteger, shortText } from './integer-text.ts';
import { NumberBuilder, type NumberParser, WideBuilder } from './number-builders.ts';
import { readListText } from './quoted-text.ts';
import { IdSetBuilder, type SetInput } from './set-builder.ts';
import { ArrayBuilder, NullableBuilder, StringBuilder } from './string-builders.ts';
import { UuidBuilder } from './uuid-builder.ts';

interface BuilderOptions {
  readonly setInput: SetInput;
  /** Of DateTime columns that name no zone. */
  readonly timeZone: string;
}

export function builderOfType(type: DataType, options: BuilderOptions): InputBuilder {
  switch (type.kind) {
    case 'LowCardinality':
      return builderOfType(type.inner, options);
    case 'Nullable':
      return new NullableBuilder(scalarBuilder(type.inner, options));
    case 'Array':
      return new ArrayBuilder(builderOfType(type.item, options), readListText);
    case 'Bitmap':
      return new IdSetBuilder(type.id, options.setInput);
    default:
      return scalarBuilder(type, options);
  }
}

function scalarBuilder(type: DataType, options: BuilderOptions): ScalarBuilder {
  switch (type.kind) {
    case 'String':
      return new StringBuilder();
    case 'UUID':
      return new UuidBuilder();
    case 'Int64':
    case 'UInt64':
      return new WideBuilder(type.kind === 'Int64');
    case 'Float32':
    case 'Float64':
      return new NumberBuilder({ type, parse: floatParser(type.kind), json: 'number' });
    case 'Bool':
      return new NumberBuilder({ type, parse: parseBool, json: 'bool' });
    case 'Date':
      return new NumberBuilder({ type, parse: parseDate, json: 'number' });
    case 'DateTime': {
      const parse = dateTimeParser(timeZone(type.timeZone ?? options.timeZone));
      return new NumberBuilder({ type, parse, json: 'number' });
    }
    case 'DateTime64': {
      const zone = timeZone(type.timeZone ?? options.timeZone);
      return new WideBuilder(true, dateTime64Parser(zone, type.precision));
    }
    case 'Enum8':
      return new NumberBuilder({ type, parse: enumParser(type), json: 'number' });
    default:
      return integerBuilder(type);
  }
}

function integerBuilder(type: DataType): ScalarBuilder {
  const range = integerRanges.get(type.kind);
  if (range === undefined) {
    throw new MusterError('NOT_IMPLEMENTED', `Reading ${formatType(type)} is not supported`);
  }
  const parse: NumberParser = (bytes, start, end) =>
    parseSmallInteger(bytes, start, { end, range });
  return new NumberBuilder({ type, parse, json: 'number', max: range.max });
}

const floatForm = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;
const floatWords: Readonly<Record<string, number>> = {
  nan: Number.NaN,
  inf: Number.POSITIVE_INFINITY,
  infinity: Number.POSITIVE_INFINITY,
};

function floatParser(name: string): NumberParser {
  return (bytes, start, end) => {
    const text = bytes.toString('latin1', start, end);
    if (floatForm.test(text)) return Number(text);
    const word = floatWords[text.toLowerCase().replace(/^[-+]/, '')];
    if (word === undefined) {
      const found = shortText(bytes, start, end);
      throw new MusterError(
        'CANNOT_PARSE_NUMBER',
        `Cannot read floating point value: text '${found}' is not like ${name}`,
      );
    }
    return text.startsWith('-') ? -word : word;
  };
}

const trueWords = new Set(['true', '1', 't', 'y', 'yes', 'on', 'enable', 'enabled']);
const falseWords = new Set(['false', '0', 'f', 'n', 'no', 'off', 'disable', 'disabled']);

const parseBool: NumberParser = (bytes, start, end) => {
  const word = bytes.toString('latin1', start, Math.min(end, start + 16)).toLowerCase();
  if (trueWords.has(word)) return 1;
  if (falseWords.has(word)) return 0;
  throw new MusterError(
    'CANNOT_PARSE_BOOL',
    `Cannot parse boolean value: '${shortText(bytes, start, end)}'`,
  );
};

function enumParser(type: DataType): NumberParser {
  assert(type.kind === 'Enum8', `an enum, not ${type.kind}`);
  const byName = new Map(type.members.map((member) => [member.name, member.value]));
  const values = new Set(byName.values());
  return (bytes, start, end) => {
    const name = bytes.toString('latin1', start, end);
    const value = byName.get(name);
    if (value !== undefined) return value;
    if (isInteger(bytes, start, end) && values.has(Number(name))) return Number(name);
    if (start === end) throw notLike(bytes, start, { end, name: formatType(type) });
    const near = nearestName(name, byName.keys());
    const hint = near === undefined ? '' : `, maybe you meant: ['${near}']`;
    throw new MusterError(
      'UNKNOWN_ELEMENT_OF_ENUM',
      `Unknown element '${shortText(bytes, start, end)}' for enum${hint}`,
    );
  };
}
