// Some pieces of a payload: for any ranges of codes the same members as the whole set has there.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CodeRange,
  decodePortable,
  encodePortable,
  setCardinality,
  setToCodes,
} from '../../storage-format/bitmap.ts';
import { crc32c } from '../../storage-format/crc32c.ts';
import { PayloadPieces } from '../../storage-format/payload-pieces.ts';
import { decodeTable, encodeTable, pieceRange } from '../../storage-format/payload-table.ts';
import { codeSets, sameCodes } from './code-samples.ts';

const codesEnd = 2 ** 32;
const within = (codes: Uint32Array, ranges: readonly CodeRange[]) =>
  codes.filter((code) => ranges.some(({ start, end }) => start <= code && code < end));

/** Reads what is missing, as a reader does, and returns the numbers of the pieces. */
class Payload {
  readonly codes: Uint32Array;
  readonly bytes: Uint8Array;
  readonly pieces: PayloadPieces;

  constructor(codes: Uint32Array) {
    this.codes = codes;
    this.bytes = encodePortable(codes);
    const checksum = crc32c(this.bytes);
    const facts = { bytes: this.bytes.length, checksum };
    this.pieces = new PayloadPieces(decodeTable(encodeTable(this.bytes, checksum), facts));
  }

  read(ranges: readonly CodeRange[]): number[] {
    const missing = this.pieces.missing(ranges);
    for (const piece of missing) {
      this.pieces.add(piece, this.bytes.slice(...pieceRange(this.pieces.table, piece)));
    }
    return missing;
  }

  expectRight(ranges: readonly CodeRange[]): void {
    this.read(ranges);
    expect(this.pieces.missing(ranges)).toEqual([]);
    const set = this.pieces.set(ranges);
    const expected = within(this.codes, ranges);
    const found = set === undefined ? new Uint32Array(0) : setToCodes(set);
    expect(sameCodes(within(found, ranges), expected)).toBe(true);
    if (set === undefined) return;
    // A bitmap like any other: its own bytes are legal, and what it holds is in the whole set.
    expect(setCardinality(decodePortable(encodePortable(set)))).toBe(found.length);
    const all = new Set(this.codes);
    expect(found.every((code) => all.has(code))).toBe(true);
  }
}

const every = (step: number, count: number) =>
  Uint32Array.from({ length: count }, (_, i) => i * step);

const bounds = fc.oneof(
  fc.constantFrom(0, 65_535, 65_536, 65_537, 131_072, 2 ** 31, codesEnd),
  fc.nat(400_000),
  fc.nat(codesEnd),
);
const ranges = fc
  .uniqueArray(bounds, { minLength: 2, maxLength: 8 })
  .map((values) => values.toSorted((a, b) => a - b))
  .map((sorted) =>
    Array.from({ length: Math.floor(sorted.length / 2) }, (_, i) => ({
      start: sorted[2 * i]!,
      end: sorted[2 * i + 1]!,
    })),
  );

describe('pieces', () => {
  it('give the members of any ranges, whatever was read before', () => {
    const large = codeSets.filter((codes) => encodePortable(codes).length > 16_384);
    fc.assert(
      fc.property(large, fc.array(ranges, { minLength: 1, maxLength: 4 }), (codes, asked) => {
        const payload = new Payload(codes);
        for (const list of asked) payload.expectRight(list);
      }),
      { numRuns: 30 },
    );
  });

  it('are one for one code of a set of bitsets, and none where the set has nobody', () => {
    const payload = new Payload(every(2, 1_000_000));
    expect(payload.read([{ start: 700_000, end: 700_001 }])).toEqual([10]);
    expect(payload.read([{ start: 720_000, end: 720_001 }])).toEqual([]);
    expect(payload.read([{ start: 2_000_000, end: codesEnd }])).toEqual([30]);
    expect(payload.read([{ start: 3_000_000, end: codesEnd }])).toEqual([]);
    expect(payload.pieces.set([{ start: 3_000_000, end: codesEnd }])).toBeUndefined();
    expect(payload.pieces.set([{ start: 5, end: 5 }])).toBeUndefined();
  });

  it('are read once, and one set is made of them while the same is asked for', () => {
    const payload = new Payload(every(3, 500_000));
    const half = [{ start: 0, end: 786_432 }];
    payload.expectRight(half);
    expect(payload.read(half)).toEqual([]);
    expect(payload.pieces.set(half)).toBe(payload.pieces.set(half));
    payload.expectRight([{ start: 0, end: codesEnd }]);
    payload.expectRight(half);
    expect(payload.read([{ start: 786_431, end: 786_433 }])).toEqual([]);
  });

  it('say what they hold', () => {
    const payload = new Payload(every(2, 1_000_000));
    const before = payload.pieces.bytes;
    payload.expectRight([{ start: 0, end: 4 * 65_536 }]);
    expect(payload.pieces.bytes).toBe(before + 4 * 8192);
    payload.pieces.add(0, new Uint8Array(8192));
    expect(payload.pieces.bytes).toBe(before + 4 * 8192);
    payload.expectRight([{ start: 0, end: 4 * 65_536 }]);
  });

  it('that were not read are a bug of who asks', () => {
    const payload = new Payload(every(2, 1_000_000));
    expect(() => payload.pieces.set([{ start: 0, end: 10 }])).toThrow(/piece 0 is held/);
  });
});
