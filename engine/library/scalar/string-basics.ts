// Case, length, emptiness, reversal, repetition, padding and trimming of texts. Functions without
// UTF8 in their name work on bytes.

import { MusterError } from '../../../base/errors.ts';
import { decodeUtf8, encodeUtf8 } from '../../../base/utf8.ts';
import { type Column, columnLength } from '../../../storage-format/column.ts';
import type { DataType } from '../../../storage-format/data-type.ts';
import { fullColumn } from '../apply-function.ts';
import { take } from '../columns/take.ts';
import { illegalType } from '../function-errors.ts';
import { doubles } from '../number-lanes.ts';
import { numericShape, string, uint8, uint64 } from '../numeric-types.ts';
import type { FunctionCall, ScalarFunction } from '../scalar-function.ts';
import { countColumn, requireText, texts, textToNumber, textToText } from './text-arguments.ts';
import { utf8Characters, utf8Length } from './utf8.ts';

const repeatedBytesMax = 2 ** 24;

/** Most texts have nothing to change: a test is far cheaper than a replacement. */
function lowerAscii(text: string): string {
  return /[A-Z]/.test(text) ? text.replace(/[A-Z]+/g, (run) => run.toLowerCase()) : text;
}
function upperAscii(text: string): string {
  return /[a-z]/.test(text) ? text.replace(/[a-z]+/g, (run) => run.toUpperCase()) : text;
}

function lengths(call: FunctionCall): number[] {
  const { column } = call.arguments[0]!;
  if (column.kind === 'string') return column.values.map((text) => text.length);
  if (column.kind !== 'array') return [];
  const result = new Array<number>(columnLength(column));
  for (let i = 0; i < result.length; i++) {
    result[i] = (column.offsets[i + 1] ?? 0) - (column.offsets[i] ?? 0);
  }
  return result;
}

function textOrArray(name: string, type: DataType): void {
  if (type.kind !== 'String' && type.kind !== 'Array') throw illegalType(name, type);
}

function emptiness(name: string, whenEmpty: number): ScalarFunction {
  return {
    name,
    arity: [1, 1],
    returnType: ([a]) => {
      textOrArray(name, a!.type);
      return uint8;
    },
    evaluate: (call) => ({
      kind: 'number',
      values: Uint8Array.from(lengths(call), (n) => (n === 0 ? whenEmpty : 1 - whenEmpty)),
    }),
  };
}

function reverseColumn(call: FunctionCall): Column {
  const { column } = call.arguments[0]!;
  if (column.kind === 'array') {
    const index = new Int32Array(columnLength(column.items));
    for (let row = 0; row + 1 < column.offsets.length; row++) {
      const start = column.offsets[row] ?? 0;
      const end = column.offsets[row + 1] ?? 0;
      for (let i = start; i < end; i++) index[i] = end - 1 - (i - start);
    }
    return { kind: 'array', offsets: column.offsets, items: take(column.items, index) };
  }
  const values = texts(call.arguments[0]!, call.rows).map((text) =>
    text.split('').reverse().join(''),
  );
  return { kind: 'string', values };
}

function padding(name: string, side: 'left' | 'right', aliases: readonly string[]): ScalarFunction {
  return {
    name,
    aliases,
    caseInsensitive: true,
    arity: [2, 3],
    returnType: ([text, length, fill]) => {
      requireText(name, text, fill);
      if (numericShape(length!.type) === undefined) throw illegalType(name, length!.type);
      return string;
    },
    evaluate: (call) => {
      const widths = doubles(call.arguments[1]!, call.rows);
      const fill = call.arguments[2];
      const fills = fill === undefined ? undefined : texts(fill, call.rows);
      const values = texts(call.arguments[0]!, call.rows).map((text, i) => {
        const width = checkedLength(name, widths[i] ?? 0);
        const padText = fills?.[i] === undefined || fills[i] === '' ? ' ' : fills[i];
        if (text.length >= width) return text.slice(0, Math.max(width, 0));
        return side === 'left' ? text.padStart(width, padText) : text.padEnd(width, padText);
      });
      return { kind: 'string', values };
    },
  };
}

function checkedLength(name: string, length: number): number {
  if (length <= repeatedBytesMax) return length;
  throw new MusterError(
    'TOO_LARGE_ARRAY_SIZE',
    `Function ${name} would make a string of ${length} bytes, more than ${repeatedBytesMax}`,
  );
}

const repeatText: ScalarFunction = {
  name: 'repeat',
  caseInsensitive: true,
  arity: [2, 2],
  returnType: ([text, count]) => {
    requireText('repeat', text);
    if (numericShape(count!.type) === undefined) throw illegalType('repeat', count!.type);
    return string;
  },
  evaluate: (call) => {
    const counts = doubles(call.arguments[1]!, call.rows);
    const values = texts(call.arguments[0]!, call.rows).map((text, i) => {
      const count = Math.max(Math.trunc(counts[i] ?? 0), 0);
      checkedLength('repeat', text.length * count);
      return text.repeat(count);
    });
    return { kind: 'string', values };
  },
};

type TrimSide = 'both' | 'left' | 'right';

/** Of the given bytes, or of spaces. */
function trimText(text: string, side: TrimSide, characters: string): string {
  let start = 0;
  let end = text.length;
  if (side !== 'right') while (start < end && characters.includes(text[start] ?? '')) start++;
  if (side !== 'left') while (end > start && characters.includes(text[end - 1] ?? '')) end--;
  return text.slice(start, end);
}

function trimmer(name: string, side: TrimSide, aliases: readonly string[]): ScalarFunction {
  return {
    name,
    aliases,
    caseInsensitive: true,
    arity: [1, 2],
    returnType: ([text, characters]) => {
      requireText(name, text, characters);
      return string;
    },
    evaluate: (call) => {
      const set = call.arguments[1];
      const sets = set === undefined ? undefined : texts(set, call.rows);
      const values = texts(call.arguments[0]!, call.rows).map((text, i) =>
        trimText(text, side, sets?.[i] ?? ' '),
      );
      return { kind: 'string', values };
    },
  };
}

export const stringBasicFunctions: readonly ScalarFunction[] = [
  textToText('lower', lowerAscii, { aliases: ['lcase'], caseInsensitive: true }),
  textToText('upper', upperAscii, { aliases: ['ucase'], caseInsensitive: true }),
  textToText('lowerUTF8', (text) => encodeUtf8(decodeUtf8(text).toLowerCase())),
  textToText('upperUTF8', (text) => encodeUtf8(decodeUtf8(text).toUpperCase())),
  textToText('reverseUTF8', (text) => utf8Characters(text).reverse().join('')),
  textToNumber('lengthUTF8', utf8Length, {
    returns: uint64,
    aliases: ['CHAR_LENGTH', 'CHARACTER_LENGTH'],
    caseInsensitive: true,
  }),
  textToNumber('ascii', (text) => (text === '' ? 0 : (text.charCodeAt(0) << 24) >> 24), {
    returns: { kind: 'Int32' },
    caseInsensitive: true,
  }),
  {
    name: 'length',
    aliases: ['OCTET_LENGTH'],
    caseInsensitive: true,
    arity: [1, 1],
    returnType: ([a]) => {
      textOrArray('length', a!.type);
      return uint64;
    },
    evaluate: (call) => countColumn(lengths(call)),
  },
  emptiness('empty', 1),
  emptiness('notEmpty', 0),
  {
    name: 'reverse',
    caseInsensitive: true,
    arity: [1, 1],
    returnType: ([a]) => {
      textOrArray('reverse', a!.type);
      return a!.type;
    },
    evaluate: (call) => reverseColumn({ ...call, arguments: [fullArgument(call)] }),
  },
  repeatText,
  padding('leftPad', 'left', ['lpad']),
  padding('rightPad', 'right', ['rpad']),
  trimmer('trimBoth', 'both', ['trim']),
  trimmer('trimLeft', 'left', ['ltrim']),
  trimmer('trimRight', 'right', ['rtrim']),
];

function fullArgument(call: FunctionCall): FunctionCall['arguments'][number] {
  const argument = call.arguments[0]!;
  return { ...argument, column: fullColumn(argument, call.rows), constant: false };
}
