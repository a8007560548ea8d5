import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteReader } from '../../catalog/byte-reader.ts';
import { ByteWriter } from '../../catalog/byte-writer.ts';

const edges = [0, 1, 127, 128, 16_383, 16_384, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1];
const anyInteger = fc.oneof(fc.constantFrom(...edges), fc.maxSafeNat());
const byteString = fc
  .uint8Array({ maxLength: 300 })
  .map((bytes) => Buffer.from(bytes).toString('latin1'));

/** Lone surrogates have no UTF-8. */
function wellFormed(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}

function reader(...bytes: number[]): ByteReader {
  return new ByteReader(Uint8Array.from(bytes), 'page x');
}

describe('primitives', () => {
  it('come back as they were written', () => {
    fc.assert(
      fc.property(fc.array(anyInteger), byteString, fc.string(), (numbers, bytes, text) => {
        const writer = new ByteWriter(1);
        for (const number of numbers) writer.varint(number);
        writer.byteString(bytes);
        writer.text(wellFormed(text));
        writer.uint32(0xfffffffe);
        writer.hexId('00ff'.repeat(8));
        const back = new ByteReader(writer.take(), 'sample');
        expect(numbers.map(() => back.varint())).toEqual(numbers);
        expect(back.byteString()).toBe(bytes);
        expect(back.text()).toBe(wellFormed(text));
        expect(back.uint32()).toBe(0xfffffffe);
        expect(back.hexId()).toBe('00ff'.repeat(8));
        back.end();
      }),
    );
  });

  it('past the end and past 2^53 are errors that name the object', () => {
    expect(() => reader().byte()).toThrow('corrupt page x: it ends early');
    expect(() => reader(5, 1).bytes()).toThrow('corrupt page x: it ends early');
    expect(() => reader(200, 200).varint()).toThrow('corrupt page x');
    expect(() => reader(...new Array<number>(9).fill(255)).varint()).toThrow('past 2^53');
    expect(() => reader(255, 255, 3).count()).toThrow('corrupt page x: it counts');
    expect(() => reader(1).end()).toThrow('1 bytes too many');
  });
});
