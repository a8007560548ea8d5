// Bytes of sets inside text: hexadecimal or base64, as other systems print them. Strict: a character
// too many is an error, never left out.

import { MusterError } from '../../base/errors.ts';

export const setEncodings = ['raw', 'hex', 'base64'] as const;
export type SetEncoding = (typeof setEncodings)[number];

const hexForm = /^(?:0[xX]|\\x)?((?:[0-9a-fA-F]{2})*)$/;
const base64Form = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/** `value` is a byte string. INCORRECT_DATA where it is not of the encoding. */
export function decodeSetText(value: string, encoding: SetEncoding): Uint8Array {
  switch (encoding) {
    case 'raw':
      return Buffer.from(value, 'latin1');
    case 'hex': {
      const digits = hexForm.exec(value)?.[1];
      if (digits === undefined) throw notEncoded('pairs of hexadecimal digits', value);
      return Buffer.from(digits, 'hex');
    }
    default:
      if (!base64Form.test(value)) throw notEncoded('base64', value);
      return Buffer.from(value, 'base64');
  }
}

function notEncoded(what: string, value: string): MusterError {
  const shown = value.length > 40 ? `${value.slice(0, 40)}...` : value;
  return new MusterError('INCORRECT_DATA', `not ${what}: ${JSON.stringify(shown)}`);
}
