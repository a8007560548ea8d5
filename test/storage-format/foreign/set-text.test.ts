// Encodings of bytes as text: strict, at every length.

import { describe, expect, it } from 'vitest';
import { decodeSetText } from '../../../storage-format/foreign/set-text.ts';

const bytes = (length: number) => Buffer.from(Array.from({ length }, (_, i) => (i * 89) & 255));

describe('texts of sets', () => {
  it('come back from hex and base64, with and without prefix and padding', () => {
    for (let length = 0; length < 40; length++) {
      const whole = bytes(length);
      const hex = whole.toString('hex');
      for (const text of [hex, hex.toUpperCase(), `0x${hex}`, `\\x${hex}`]) {
        expect(decodeSetText(text, 'hex'), text).toEqual(whole);
      }
      const base64 = whole.toString('base64');
      expect(decodeSetText(base64, 'base64')).toEqual(whole);
      expect(decodeSetText(base64.replace(/=+$/, ''), 'base64')).toEqual(whole);
      expect(decodeSetText(whole.toString('latin1'), 'raw')).toEqual(whole);
    }
  });

  it.each(['0', 'abc', 'zz', '00 11', '001g', '0x0', '00\n'])('%j is not hex', (text) => {
    expect(() => decodeSetText(text, 'hex')).toThrow(/hexadecimal/);
  });

  it.each(['A', 'AAAAA', 'A===', 'AA=', 'AAA==', 'AA A', 'AA\n=', 'A*AA', 'AAAA=', '='])(
    '%j is not base64',
    (text) => {
      expect(() => decodeSetText(text, 'base64')).toThrow(/base64/);
    },
  );
});
