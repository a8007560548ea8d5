import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeEnvelope, encodeEnvelope } from '../../../engine/batch/envelope.ts';
import { findRepeated } from '../../../engine/batch/repeated-strings.ts';

/** Lists of any length over few or many values; bytes of any kind in them. */
const lists = fc
  .tuple(
    fc.constantFrom(0, 1, 63, 64, 700, 2000),
    fc.constantFrom(1, 2, 256, 257, 5000),
    fc.nat(250),
  )
  .map(([length, distinct, byte]) =>
    Array.from({ length }, (_, i) => `${String.fromCharCode(byte)}${(i * 7919) % distinct}`),
  );

it('gives the values back, and through an envelope', () => {
  fc.assert(
    fc.property(lists, (values) => {
      const repeated = findRepeated(values);
      if (repeated !== undefined) {
        const { distinct, places } = repeated;
        expect(Array.from(places, (place) => distinct[place])).toEqual(values);
        expect(new Set(distinct).size).toBe(distinct.length);
      }
      const column = { kind: 'string', values };
      expect(decodeEnvelope(encodeEnvelope(column))).toEqual(column);
    }),
  );
});

it('takes the narrowest numbers, and leaves alone what does not repeat', () => {
  const over = (distinct: number, length: number) =>
    findRepeated(Array.from({ length }, (_, i) => `v${i % distinct}`))?.places;
  expect(over(256, 1000)).toBeInstanceOf(Uint8Array);
  expect(over(257, 1000)).toBeInstanceOf(Uint16Array);
  expect(over(600, 5000)).toBeUndefined();
  expect(over(3, 20)).toBeUndefined();
});
