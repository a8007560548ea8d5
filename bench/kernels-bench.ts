// What each kernel of WebAssembly gains over the plainest TypeScript that does the same, copies in and out
// included, in processor time: other work on the machine changes it less than the clock. One that gains
// nothing is not kept. See README.md.
//
// Usage: node dist/bench/kernels-bench.js [--rounds 9]

import { parseArgs } from 'node:util';
import { hashInteger } from '../kernels/hash64.ts';
import { KernelMemory } from '../kernels/kernel-memory.ts';
import { sortKeys } from '../kernels/key-sort.ts';
import {
  andCardinality,
  decodePortable,
  encodePortable,
  setAnd,
  setAndNot,
  setFromSorted,
  type SliceBitmap,
} from '../storage-format/bitmap.ts';
import { hotTreeCardinality, type SetTree } from '../storage-format/hot-trees.ts';
import { pairCount } from '../engine/worker/pair-counts.ts';
import { treeCount } from '../engine/worker/tree-counts.ts';
import { crc32c, crcTables } from '../storage-format/crc32c.ts';
import { arrayAndCardinality } from '../storage-format/code-arrays.ts';
import { unionCardinality } from '../storage-format/code-bitset.ts';
import { popcount } from '../storage-format/portable-roaring.ts';
import { median } from './median.ts';
import { randomFrom, sampleOf, sparseIds } from './sets/samples.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '9' } } });
const rounds = Number(values.rounds);

const kernels = new KernelMemory();
const { calls } = kernels;

console.log('what\tTypeScript ms\tkernel ms\tratio');
checksums();
bits();
unions();
smallPairs();
pairs();
trees();
keys();

function compare(what: string, plain: () => unknown, kernel: () => unknown): void {
  const [slow, fast] = [cpuMs(plain), cpuMs(kernel)];
  console.log(`${what}\t${slow.toFixed(2)}\t${fast.toFixed(2)}\t${(slow / fast).toFixed(1)}x`);
}

function cpuMs(work: () => unknown): number {
  work();
  const times = Array.from({ length: rounds }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return median(times);
}

function checksums(): void {
  const bytes = Uint8Array.from({ length: 16 * 1024 * 1024 }, (_, i) => i * 7);
  compare(
    'CRC32C of 16 MB',
    () => slicedCrc(bytes),
    () => crc32c(bytes),
  );
}

/** Slicing by 8, as short runs are done. */
function slicedCrc(bytes: Uint8Array): number {
  let crc = 0;
  for (let at = 0; at < bytes.length; at += 2040) crc = crc32c(bytes.subarray(at, at + 2040), crc);
  return crc + (crcTables[0] as number);
}

function bits(): void {
  const codes = sampleOf(8_000_000, 2_000_000, 1);
  const bytes = 1_000_000;
  const at = kernels.reserve(bytes);
  const words = kernels.u32(at, bytes / 4);
  for (const code of codes) words[code >>> 5]! |= 1 << (code & 31);
  const out = kernels.reserve(4 * codes.length);
  compare(
    'bits of 1 MB counted',
    () => countPlainly(words),
    () => calls.countBits(at, bytes),
  );
  compare(
    '2 M bits of 1 MB listed',
    () => listPlainly(words, codes.length),
    () => {
      calls.bitsToCodes(at, bytes, 0, out);
      return kernels.u32(out, codes.length).slice();
    },
  );
}

/** Forty megabytes of tiny sets, as a worker holds them, into the bits of one group. */
function unions(): void {
  const universe = 250_000;
  const random = randomFrom(1);
  const codes = Uint32Array.from({ length: 10_000_000 }, () => Math.floor(random() * universe));
  const words = new Uint32Array(Math.ceil(universe / 32));
  const flat = {
    count: codes.length,
    max: universe,
    visit: (take: (run: Uint32Array, start: number, end: number) => void) => {
      for (let start = 0; start < codes.length; start += 32_768) {
        take(codes, start, Math.min(codes.length, start + 32_768));
      }
    },
  };
  compare(
    'union of 10 M codes of tiny sets',
    () => flat.visit((run, start, end) => setPlainly(run.subarray(start, end), words)),
    () => unionCardinality(flat),
  );
}

function setPlainly(codes: Uint32Array, words: Uint32Array): void {
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] as number;
    words[code >>> 5] = (words[code >>> 5] as number) | (1 << (code & 31));
  }
}

function countPlainly(words: Uint32Array): number {
  let count = 0;
  for (let i = 0; i < words.length; i++) count += popcount(words[i] as number);
  return count;
}

function listPlainly(words: Uint32Array, count: number): Uint32Array {
  const out = new Uint32Array(count);
  let n = 0;
  for (let w = 0; w < words.length; w++) {
    for (let word = words[w] as number; word !== 0; word &= word - 1) {
      out[n++] = 32 * w + 31 - Math.clz32(word & -word);
    }
  }
  return out;
}

/** Small sets of one group, each with each. */
function smallPairs(): void {
  const sets = Array.from({ length: 100 }, (_, seed) => sampleOf(1333, 360, seed));
  const all = (count: (a: Uint32Array, b: Uint32Array) => number) => {
    for (const a of sets) for (const b of sets) count(a, b);
  };
  compare(
    '10,000 pair counts of sets of 360 codes',
    () => all(mergePlainly),
    () => all(arrayAndCardinality),
  );
}

function mergePlainly(a: Uint32Array, b: Uint32Array): number {
  let n = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const x = a[i] as number;
    const y = b[j] as number;
    if (x === y) n++;
    if (x <= y) i++;
    if (y <= x) j++;
  }
  return n;
}

/** Pairs of sets of each density: as roaring counts them, and once they are hot. */
function pairs(): void {
  const universe = 5_000_000;
  for (const percent of [0.5, 1, 2, 5, 50]) {
    const sets = [1, 2].map((seed) =>
      largeSet(sampleOf(universe, (universe * percent) / 100, seed)),
    );
    const [a, b] = sets as [SliceBitmap, SliceBitmap];
    const many = (count: () => number) => {
      for (let i = 0; i < 100; i++) count();
    };
    compare(
      `100 pair counts of sets of ${percent} % of 5 M codes (roaring, hot)`,
      () => many(() => a.andCardinality(b)),
      () => many(() => andCardinality(a, b)),
    );
  }
}

/** (a and b) or (c without d), counted: operator by operator, and as one tree of hot sets. */
function trees(): void {
  const universe = 5_000_000;
  const tree: SetTree = {
    leaves: 4,
    steps: [
      { how: 'and', a: 0, b: 1 },
      { how: 'andnot', a: 2, b: 3 },
      { how: 'xor', a: 4, b: 5 },
    ],
  };
  for (const percent of [1, 2, 5, 50]) {
    const sets = [1, 2, 3, 4].map((seed) =>
      largeSet(sampleOf(universe, (universe * percent) / 100, seed)),
    );
    const [a, b, c, d] = sets as [SliceBitmap, SliceBitmap, SliceBitmap, SliceBitmap];
    for (let i = 0; i < 4; i++) hotTreeCardinality(tree, sets);
    const many = (count: () => unknown) => {
      for (let i = 0; i < 100; i++) count();
    };
    compare(
      `100 counts of (a and b) xor (c without d), sets of ${percent} % of 5 M codes`,
      () => many(() => pairCount('xor', setAnd(a, b), setAndNot(c, d))),
      () => many(() => hotTreeCardinality(tree, sets) ?? treeCount(tree, sets)),
    );
  }
}

function largeSet(codes: Uint32Array): SliceBitmap {
  return decodePortable(encodePortable(setFromSorted(codes)));
}

function keys(): void {
  const known = sparseIds(sampleOf(4_000_000, 2_000_000, 1)).sort(() => 0);
  const shuffled = known.map((_, i) => known[(i * 7_368_787) % known.length] as bigint);
  compare(
    '2 M ids hashed',
    () => hashPlainly(shuffled),
    () => hashByKernel(shuffled),
  );
  compare(
    '2 M ids sorted',
    () => shuffled.slice().sort(),
    () => sortKeys(shuffled.slice()),
  );
}

function hashPlainly(ids: BigUint64Array): number {
  const halves = new Uint32Array(ids.buffer, ids.byteOffset, 2 * ids.length);
  const out = { low: 0, high: 0 };
  let sum = 0;
  for (let i = 0; i < halves.length; i += 2) {
    hashInteger(halves[i] as number, halves[i + 1] as number, out);
    sum ^= out.low;
  }
  return sum;
}

function hashByKernel(ids: BigUint64Array): void {
  const at = kernels.scratch(8 * ids.length);
  kernels.u64(at, ids.length).set(ids);
  calls.hashIntegers(at, ids.length, at);
}
