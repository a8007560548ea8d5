// The table of a payload says what the payload's own header says, and proves itself.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodePortable } from '../../storage-format/bitmap.ts';
import { crc32c } from '../../storage-format/crc32c.ts';
import {
  decodeTable,
  encodeTable,
  pieceRange,
  wholePayloadBytesMax,
} from '../../storage-format/payload-table.ts';
import { readPortableHeader } from '../../storage-format/portable-roaring.ts';
import { codeSets, edgeSets } from './code-samples.ts';

function tableOf(codes: Uint32Array) {
  const payload = encodePortable(codes);
  const checksum = crc32c(payload);
  const bytes = encodeTable(payload, checksum);
  return { payload, bytes, facts: { bytes: payload.length, checksum, cardinality: codes.length } };
}

function expectRight(codes: Uint32Array): void {
  const { payload, bytes, facts } = tableOf(codes);
  if (payload.length <= wholePayloadBytesMax) {
    expect(bytes).toHaveLength(0);
    return;
  }
  const table = decodeTable(bytes, facts);
  const header = readPortableHeader(payload);
  expect(table.header).toEqual(header);
  let at = header.starts[0]!;
  table.checksums.forEach((checksum, piece) => {
    const [start, end] = pieceRange(table, piece);
    expect(start).toBe(at);
    expect(crc32c(payload.subarray(start, end))).toBe(checksum);
    const containers = table.firsts[piece + 1]! - table.firsts[piece]!;
    if (containers > 1) expect(end - start).toBeLessThanOrEqual(8192);
    at = end;
  });
  expect(at).toBe(payload.length);
}

const every = (step: number, count: number) =>
  Uint32Array.from({ length: count }, (_, i) => i * step);

/** Bitsets, arrays, and runs between them. */
const mixed = Uint32Array.from(
  new Set([...every(2, 100_000), ...every(1, 9000).map((c) => c + 400_000), ...every(977, 8000)]),
).sort();

describe('a table', () => {
  it.each([
    ['bitsets', every(2, 400_000)],
    ['arrays', every(16, 40_000)],
    ['arrays far apart', every(1_000_003, 4000)],
    ['runs', every(1, 300_000)],
    ['all of these', mixed],
    ['alternating runs', every(1, 300_000).filter((code) => code % 40 < 20)],
  ])('holds the containers of a payload of %s', (_, codes) => {
    expectRight(codes);
  });

  it('does so at every edge, and for any set', () => {
    for (const codes of edgeSets) expectRight(codes);
    fc.assert(fc.property(codeSets, expectRight), { numRuns: 60 });
  });

  it('takes little: under two thousandths of a payload of bitsets', () => {
    const { payload, bytes } = tableOf(every(2, 1_250_000));
    expect(bytes.length).toBeLessThan(payload.length / 500);
  });

  it('is refused with any byte changed or cut off', () => {
    const { bytes, facts } = tableOf(mixed);
    for (let at = 0; at < bytes.length; at++) {
      const damaged = bytes.slice();
      damaged[at]! ^= 1 << (at % 8);
      expect(() => decodeTable(damaged, facts)).toThrow(/not the table of a payload/);
      expect(() => decodeTable(bytes.subarray(0, at), facts)).toThrow(/not the table/);
    }
  });

  it('is refused for another payload', () => {
    const { bytes, facts } = tableOf(mixed);
    for (const other of [
      { ...facts, checksum: facts.checksum ^ 1 },
      { ...facts, bytes: facts.bytes + 1 },
      { ...facts, cardinality: facts.cardinality - 1 },
    ]) {
      expect(() => decodeTable(bytes, other)).toThrow(/not the table of a payload/);
    }
    const { cardinality: _, ...uncounted } = facts;
    expect(decodeTable(bytes, uncounted).header.cardinality).toBe(mixed.length);
  });
});
