import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeStringState,
  decodeUuidState,
  encodeStringState,
  encodeUuidState,
} from '../../storage-format/byte-set-state.ts';

const byteStrings = (minLength: number, maxLength: number) =>
  fc
    .uniqueArray(fc.uint8Array({ minLength, maxLength }), { selector: (bytes) => bytes.join() })
    .map((all) => all.map((bytes) => Buffer.from(bytes).toString('latin1')).sort());

describe('states of strings and UUIDs', () => {
  it('come back and say where they end', () => {
    fc.assert(
      fc.property(byteStrings(0, 9), byteStrings(16, 16), (strings, uuids) => {
        const both = Buffer.concat([encodeStringState(strings), encodeUuidState(uuids)]);
        const first = decodeStringState(both, 0);
        expect(first.values).toEqual(strings);
        expect(decodeUuidState(both, first.end)).toEqual({ values: uuids, end: both.length });
      }),
    );
  });

  it('have the bytes that SPEC.md prints', () => {
    expect(Buffer.from(encodeStringState(['', 'a', 'bc'])).toString('hex')).toBe(
      '0203000161026263',
    );
  });

  it.each(['', '0103', '0202016101', '0202016201 61', '02020161 0161', '02818000'])(
    'refuse %s',
    (hex) => {
      const bytes = Buffer.from(hex.replace(' ', ''), 'hex');
      expect(() => decodeStringState(bytes, 0)).toThrow(/not a groupBitmap state of String/);
    },
  );
});
