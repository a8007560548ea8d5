// Bytes of sets inside text: hexadecimal or base64, as other systems print them. Strict: a character
// too many is an error, never left out.

import { MusterError } from '../../base/errors.ts';

export const setEncodings = ['raw', 'hex', 'base64'] as const;
export type SetEncoding = (typeof setEncodings)[number];

const hexPrefix = /^(?:0[xX]|\\x)/;

/** `value` is a byte string. INCORRECT_DATA where it is not of the encoding. */
export function decodeSetText(value: string, encoding: SetEncoding): Uint8Array {
  switch (encoding) {
    case 'raw':
      return Buffer.from(value, 'latin1');
    case 'hex': {
      const digits = value.slice(0, 2).replace(hexPrefix, '') + value.slice(2);
      // Decoding ends at what is no digit.
      const bytes = Buffer.from(digits, 'hex');
      if (2 * bytes.length !== digits.length) throw notEncoded('hexadecimal digits', value);
      return bytes;
    }
    default:
      return decodeBase64(value);
  }
}

/** Decoding leaves out what is no digit, and so gives fewer bytes than the length promises. */
function decodeBase64(value: string): Uint8Array {
  const padding = value.endsWith('==') ? 2 : value.endsWith('=') ? 1 : 0;
  const digits = value.length - padding;
  const bytes = Buffer.from(value, 'base64');
  const isWhole = digits % 4 !== 1 && (padding === 0 || value.length % 4 === 0);
  if (!isWhole || bytes.length !== Math.floor((digits * 3) / 4)) throw notEncoded('base64', value);
  return bytes;
}

function notEncoded(what: string, value: string): MusterError {
  const shown = value.length > 40 ? `${value.slice(0, 40)}...` : value;
  return new MusterError('INCORRECT_DATA', `not ${what}: ${JSON.stringify(shown)}`);
}
