// hex and unhex, base64, char: values as printable texts and back.

import { MusterError } from '../../../base/errors.ts';
import type { Column } from '../../../storage-format/column.ts';
import type { DataType } from '../../../storage-format/data-type.ts';
import { swapUuidHalves } from '../../../storage-format/uuid.ts';
import { fullColumn } from '../apply-function.ts';
import { illegalType } from '../function-errors.ts';
import { doubles, patterns } from '../number-lanes.ts';
import { isFloat, numericShape, storedShape, string } from '../numeric-types.ts';
import type { FunctionCall, ScalarFunction } from '../scalar-function.ts';
import { textToText } from './text-arguments.ts';

function bytesToHex(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('hex').toUpperCase();
}

/** Big-endian digits without leading zero bytes, at least one byte. */
function integerHex(low: number, high: number, bytes: number): string {
  const lowText = (low >>> 0).toString(16).padStart(8, '0');
  const text = bytes === 8 ? (high >>> 0).toString(16).padStart(8, '0') + lowText : lowText;
  const digits = text.slice(-2 * bytes).toUpperCase();
  const trimmed = digits.replace(/^(?:00)+/, '');
  return trimmed === '' ? '00' : trimmed;
}

/** The bytes of a float in memory order, all of them. */
function floatHex(value: number, type: DataType): string {
  const buffer = Buffer.alloc(type.kind === 'Float32' ? 4 : 8);
  if (type.kind === 'Float32') buffer.writeFloatLE(value);
  else buffer.writeDoubleLE(value);
  return buffer.toString('hex').toUpperCase();
}

function evaluateHex(call: FunctionCall): Column {
  const argument = call.arguments[0]!;
  const { type } = argument;
  const column = fullColumn(argument, call.rows);
  if (column.kind === 'string') {
    const isUuid = type.kind === 'UUID';
    const values = column.values.map((one) => bytesToHex(isUuid ? swapUuidHalves(one) : one));
    return { kind: 'string', values };
  }
  if (isFloat(type)) {
    const values = Array.from(doubles(argument, call.rows), (value) => floatHex(value, type));
    return { kind: 'string', values };
  }
  const halves = patterns(argument, call.rows);
  const bytes = storedShape(type)?.bytes ?? 8;
  const values = Array.from({ length: call.rows }, (_, i) =>
    integerHex(halves[2 * i] ?? 0, halves[2 * i + 1] ?? 0, bytes),
  );
  return { kind: 'string', values };
}

/** Digits come in pairs from the right; a byte whose digits are not hexadecimal reads as zero bits. */
function unhexText(text: string): string {
  const even = text.length % 2 === 1 ? `0${text}` : text;
  return Buffer.from(even, 'hex').toString('latin1');
}

const base64Form = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function decodeBase64(text: string): string {
  if (base64Form.test(text)) return Buffer.from(text, 'base64').toString('latin1');
  throw new MusterError(
    'INCORRECT_DATA',
    `Invalid base64Decode value (${text}), cannot be decoded`,
  );
}

export const stringEncodingFunctions: readonly ScalarFunction[] = [
  {
    name: 'hex',
    caseInsensitive: true,
    arity: [1, 1],
    returnType: ([a]) => {
      const { type } = a!;
      if (type.kind === 'String' || type.kind === 'UUID') return string;
      if (type.kind === 'Enum8' || storedShape(type) === undefined) throw illegalType('hex', type);
      return string;
    },
    evaluate: evaluateHex,
  },
  textToText('unhex', unhexText, { caseInsensitive: true }),
  textToText('base64Encode', (text) => Buffer.from(text, 'latin1').toString('base64'), {
    aliases: ['TO_BASE64'],
    caseInsensitive: true,
  }),
  textToText('base64Decode', decodeBase64, { aliases: ['FROM_BASE64'], caseInsensitive: true }),
  textToText('tryBase64Decode', (text) => (base64Form.test(text) ? decodeBase64(text) : '')),
  {
    name: 'char',
    caseInsensitive: true,
    arity: [1, Number.POSITIVE_INFINITY],
    returnType: (types) => {
      for (const { type } of types) if (!numericShape(type)) throw illegalType('char', type);
      return string;
    },
    evaluate: (call) => {
      const columns = call.arguments.map((argument) => doubles(argument, call.rows));
      const values = Array.from({ length: call.rows }, (_, i) =>
        columns.map((column) => String.fromCharCode(Math.trunc(column[i] ?? 0) & 255)).join(''),
      );
      return { kind: 'string', values };
    },
  },
];
