// Unsigned LEB128, the length prefix of RowBinary: 7 bits a byte, little end first.

import { MusterError } from '../../base/errors.ts';

/** Undefined when the window ends inside it. Lengths are below 2^48. */
export function readVaruint(
  bytes: Uint8Array,
  at: number,
  end: number,
): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  let scale = 1;
  for (let i = at; i < end; i++) {
    const byte = bytes[i] as number;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return { value, end: i + 1 };
    scale *= 128;
    if (scale > 2 ** 42) throw new MusterError('INCORRECT_DATA', 'Length prefix is too large');
  }
  return undefined;
}

/** The encoding as a byte string. */
export function varuintBytes(value: number): string {
  let out = '';
  let rest = value;
  while (rest >= 0x80) {
    out += String.fromCharCode((rest % 128) | 0x80);
    rest = Math.floor(rest / 128);
  }
  return out + String.fromCharCode(rest);
}
