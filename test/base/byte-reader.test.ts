import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteReader, isCorrupt } from '../../base/byte-reader.ts';
import { ByteWriter } from '../../base/byte-writer.ts';

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
  return new ByteReader(Uint8Array.from(bytes), isCorrupt('page x'));
}

describe('primitives', () => {
  it('come back as they were written', () => {
    fc.assert(
      fc.property(fc.array(anyInteger), byteString, fc.string(), (numbers, bytes, text) => {
        const writer = new ByteWriter(1);
        for (const number of numbers) writer.varuint(number);
        writer.byteString(bytes);
        writer.text(wellFormed(text));
        writer.u32(0xfffffffe);
        writer.hexId('00ff'.repeat(8));
        const back = new ByteReader(writer.finish(), isCorrupt('sample'));
        expect(numbers.map(() => back.varuint())).toEqual(numbers);
        expect(back.byteString()).toBe(bytes);
        expect(back.text()).toBe(wellFormed(text));
        expect(back.u32()).toBe(0xfffffffe);
        expect(back.hexId()).toBe('00ff'.repeat(8));
        back.end();
      }),
    );
  });

  it('past the end and past 2^53 are errors that name the object', () => {
    expect(() => reader().u8()).toThrow('corrupt page x: it ends early');
    expect(() => reader(5, 1).bytes()).toThrow('corrupt page x: it ends early');
    expect(() => reader(200, 200).varuint()).toThrow('corrupt page x');
    expect(() => reader(...new Array<number>(9).fill(255)).varuint()).toThrow('past 2^53');
    expect(() => reader(255, 255, 3).count()).toThrow('corrupt page x: it counts');
    expect(() => reader(1).end()).toThrow('1 bytes too many');
  });
});
