// Digits that are read while their end is looked for give what BigInt gives, or are left to who looks
// for the end first.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseWideInteger, scanDigits } from '../../../engine/formats/integer-text.ts';

function scan(text: string): { readonly value: bigint; readonly stop: number } | undefined {
  const bytes = Buffer.from(text, 'latin1');
  const out = new Uint32Array(4);
  const stop = scanDigits(bytes, 1, { end: bytes.length, out, at: 2 });
  if (stop === -1) return undefined;
  return { value: (BigInt(out[3]!) << 32n) | BigInt(out[2]!), stop };
}

const digits = fc.stringMatching(/^[0-9]{1,21}$/);

it('reads up to 20 digits that fit 64 bits', () => {
  fc.assert(
    fc.property(digits, fc.constantFrom(',', '\n', '}', ' ', '-'), (text, behind) => {
      const fits = text.length <= 20 && BigInt(text) < 2n ** 64n;
      const wanted = fits ? { value: BigInt(text), stop: text.length + 1 } : undefined;
      expect(scan(`:${text}${behind}9`)).toEqual(wanted);
    }),
    { numRuns: 2000 },
  );
});

it.each([0n, 999_999_999n, 10n ** 9n, 2n ** 32n, 2n ** 53n + 1n, 2n ** 63n, 2n ** 64n - 1n])(
  'reads %s, also where the end is known',
  (value) => {
    expect(scan(`:${value},`)?.value).toBe(value);
    const bytes = Buffer.from(String(value));
    const out = new Uint32Array(2);
    parseWideInteger(bytes, 0, { end: bytes.length, signed: false, out, at: 0 });
    expect((BigInt(out[1]!) << 32n) | BigInt(out[0]!)).toBe(value);
  },
);

it('leaves what is no number, is too large, or goes on behind the window', () => {
  for (const text of [':,', ':-1,', `:${2n ** 64n},`, ':12', ':123456789012', ':']) {
    expect(scan(text)).toBeUndefined();
  }
});
