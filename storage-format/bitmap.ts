// Sets of codes and their algebra; the only door to `roaring`. A set is a sorted array of codes
// (tiny) or a roaring bitmap (large), see set-column.ts; every function takes either form and picks
// what is fast. Sets are shared freely, between queries and with caches: nothing here ever changes
// an operand, and nobody else may.

import type { ReadonlyRoaringBitmap32 } from 'roaring';
import roaring from 'roaring';
import type { Brand } from '../base/brand.ts';
import { MusterError } from '../base/errors.ts';
import {
  arrayAnd,
  arrayAndCardinality,
  arrayAndNot,
  arrayHas,
  arrayOr,
  arrayXor,
  lowerBound,
  sortUnique,
} from './code-arrays.ts';
import {
  codesOfBits,
  type FlatCodes,
  type GrowingUnion,
  unionCardinality,
  unionCodes,
  type UnionResult,
} from './code-bitset.ts';
import { hotBits } from './hot-bits.ts';
import { checkPortable, readPortableHeader } from './portable-roaring.ts';
import { type CodeSet, smallCardinalityMax } from './set-column.ts';

const { RoaringBitmap32 } = roaring;

/** A large set; immutable. Only this file looks inside. */
export type SliceBitmap = Brand<ReadonlyRoaringBitmap32, 'SliceBitmap'>;

/** A range of codes, half-open; `end` may be 2^32. */
export interface CodeRange {
  readonly start: number;
  readonly end: number;
}

export const emptySet: CodeSet = new Uint32Array(0);

// Up to this many flat codes a union sorts them; above, it sets bits.
const sortedUnionMax = 64;
// roaring's many-way union is lazy and fastest up to a few dozen inputs, then slower than a fold.
const unionManyMax = 64;
// Above this, a flat operand is put into the scratch bitmap instead of probing code by code.
const probesMax = 24;
// Holds a flat operand for the length of one call: saves making an object per operation.
const scratch = new RoaringBitmap32();

export function setCardinality(set: CodeSet): number {
  return isFlat(set) ? set.length : set.size;
}

export function isEmpty(set: CodeSet): boolean {
  return isFlat(set) ? set.length === 0 : set.isEmpty;
}

/** The codes in ascending order; the set itself when it is flat, so don't change it. */
export function setToCodes(set: CodeSet): Uint32Array {
  if (isFlat(set)) return set;
  const out = new Uint32Array(set.size);
  set.toUint32Array(out);
  return out;
}

export function setContains(set: CodeSet, code: number): boolean {
  return isFlat(set) ? arrayHas(set, code) : set.has(code);
}

/** Smallest code; undefined for the empty set. */
export function setMin(set: CodeSet): number | undefined {
  if (isEmpty(set)) return undefined;
  return isFlat(set) ? set[0] : set.minimum();
}

/** Largest code; undefined for the empty set. */
export function setMax(set: CodeSet): number | undefined {
  if (isEmpty(set)) return undefined;
  return isFlat(set) ? set[set.length - 1] : set.maximum();
}

/** From sorted unique codes, which it takes over. */
export function setFromSorted(codes: Uint32Array): CodeSet {
  return codes.length <= smallCardinalityMax ? codes : own(new RoaringBitmap32(codes));
}

/** From codes in any order, duplicates allowed; takes the array over. */
export function setFromUnsorted(codes: Uint32Array): CodeSet {
  return unionFlat(flatCodes([codes]));
}

/** All codes of a range. */
export function setFromRange({ start, end }: CodeRange): CodeSet {
  if (end - start > smallCardinalityMax) return own(RoaringBitmap32.fromRange(start, end));
  return Uint32Array.from({ length: end - start }, (_, i) => start + i);
}

/** Of the codes whose bits are set: bit i % 32 of word i / 32. */
export function setFromBits(bits: Uint32Array): CodeSet {
  return setOfUnion(codesOfBits(bits, smallCardinalityMax));
}

/** Bits of the codes below `end`: bit i % 32 of word i / 32. */
export function setToBits(set: CodeSet, end: number): Uint32Array {
  const bits = new Uint32Array(Math.ceil(end / 32));
  const codes = setToCodes(set);
  const count = lowerBound(codes, end);
  for (let i = 0; i < count; i++) bits[codes[i]! >>> 5]! |= 1 << (codes[i]! & 31);
  return bits;
}

export function setAnd(a: CodeSet, b: CodeSet): CodeSet {
  if (isFlat(a)) return isFlat(b) ? arrayAnd(a, b) : probe(a, b, true);
  if (isFlat(b)) return probe(b, a, true);
  return own(RoaringBitmap32.and(a, b));
}

export function setOr(a: CodeSet, b: CodeSet): CodeSet {
  if (isFlat(a) && isFlat(b)) return setFromSorted(arrayOr(a, b));
  if (isEmpty(a)) return b;
  if (isEmpty(b)) return a;
  return own(RoaringBitmap32.or(asBitmap(a), asBitmap(b)));
}

export function setXor(a: CodeSet, b: CodeSet): CodeSet {
  if (isFlat(a) && isFlat(b)) return setFromSorted(arrayXor(a, b));
  if (isEmpty(a)) return b;
  if (isEmpty(b)) return a;
  return own(RoaringBitmap32.xor(asBitmap(a), asBitmap(b)));
}

/** a without b. */
export function setAndNot(a: CodeSet, b: CodeSet): CodeSet {
  if (isEmpty(b)) return a;
  if (isFlat(a)) return isFlat(b) ? arrayAndNot(a, b) : probe(a, b, false);
  return own(RoaringBitmap32.andNot(a, asBitmap(b)));
}

export function andCardinality(a: CodeSet, b: CodeSet): number {
  if (isFlat(a)) return isFlat(b) ? arrayAndCardinality(a, b) : probeCount(a, b);
  if (isFlat(b)) return probeCount(b, a);
  return hotBits().andCardinality(a, b) ?? a.andCardinality(b);
}

export function intersects(a: CodeSet, b: CodeSet): boolean {
  if (isFlat(a)) return isFlat(b) ? arrayAndCardinality(a, b) > 0 : a.some((code) => b.has(code));
  if (isFlat(b)) return b.some((code) => a.has(code));
  return a.intersects(b);
}

export function setEquals(a: CodeSet, b: CodeSet): boolean {
  const cardinality = setCardinality(a);
  return cardinality === setCardinality(b) && andCardinality(a, b) === cardinality;
}

/**
 * The union of any number of sets. Flat ones are accumulated in a bitset, or sorted when few, so a
 * tiny set never becomes an object; large ones go through roaring's many-way union.
 */
export function unionSets(sets: readonly CodeSet[]): CodeSet {
  if (sets.length <= 2) return unionOfTwo(sets);
  const flat: Uint32Array[] = [];
  const large: SliceBitmap[] = [];
  for (const set of sets) {
    if (!isFlat(set)) large.push(set);
    else if (set.length > 0) flat.push(set);
  }
  return unionOf(flatCodes(flat), large);
}

/** The union of flat runs and of large sets. */
export function unionOf(flat: FlatCodes, large: readonly SliceBitmap[]): CodeSet {
  const small = unionFlat(flat);
  if (large.length === 0) return small;
  return setOr(own(unionLarge(large)), small);
}

/** The union of what was put in and of large sets. */
export function unionOfGrown(grown: GrowingUnion, large: readonly SliceBitmap[]): CodeSet {
  const small = setOfUnion(grown.union(smallCardinalityMax));
  return large.length === 0 ? small : setOr(own(unionLarge(large)), small);
}

/** Members of that union; fewer objects are made. */
export function unionOfCardinality(flat: FlatCodes, large: readonly SliceBitmap[]): number {
  if (large.length === 0) return flat.count === 0 ? 0 : unionCardinality(flat);
  if (flat.count === 0) return unionLarge(large).size;
  return setCardinality(unionOf(flat, large));
}

/** The members inside a range of codes. */
export function restrict(set: CodeSet, range: CodeRange): CodeSet {
  if (isFlat(set)) return set.subarray(lowerBound(set, range.start), lowerBound(set, range.end));
  if (range.start <= set.minimum() && set.maximum() < range.end) return set;
  const inside = RoaringBitmap32.and(set, RoaringBitmap32.fromRange(range.start, range.end));
  return inside.isEmpty ? emptySet : own(inside);
}

export function rangeCardinality(set: CodeSet, range: CodeRange): number {
  if (!isFlat(set)) return set.rangeCardinality(range.start, range.end);
  return lowerBound(set, range.end) - lowerBound(set, range.start);
}

/** The set's bytes in the roaring portable format, runs optimised as ClickHouse does. */
export function encodePortable(set: CodeSet): Uint8Array {
  const copy = isFlat(set) ? new RoaringBitmap32(set) : set.clone();
  copy.runOptimize();
  const bytes = copy.serialize('portable');
  copy.dispose();
  return bytes;
}

/** Rough bytes that it holds. */
export function setBytes(set: CodeSet): number {
  return isFlat(set) ? set.byteLength : set.getSerializationSizeInBytes('portable');
}

/** An upper bound of encodePortable(set).length, without encoding. */
export function portableBytesMax(set: CodeSet): number {
  if (!isFlat(set)) return set.getSerializationSizeInBytes('portable');
  return 8 + 8 * Math.min(set.length, 65536) + 2 * set.length;
}

/** A bitmap over bytes of unknown origin, checked in full; INCORRECT_DATA. Holds the bytes. */
export function decodePortable(bytes: Uint8Array): SliceBitmap {
  checkPortable(bytes);
  return view(bytes);
}

/**
 * A bitmap over bytes whose checksum was verified: no copy, the header walked, its cardinality
 * compared with what the index promised. Throws INCORRECT_DATA. The bytes must never change.
 */
export function viewPortable(bytes: Uint8Array, cardinality: number): SliceBitmap {
  const header = readPortableHeader(bytes);
  if (header.cardinality !== cardinality || header.starts[header.containers] !== bytes.length) {
    throw new MusterError(
      'INCORRECT_DATA',
      `a bitmap of ${header.cardinality} members where ${cardinality} were promised`,
    );
  }
  return view(bytes);
}

function isFlat(set: CodeSet): set is Uint32Array {
  return set instanceof Uint32Array;
}

function own(bitmap: ReadonlyRoaringBitmap32): SliceBitmap {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the brand's one constructor
  return bitmap as SliceBitmap;
}

function view(bytes: Uint8Array): SliceBitmap {
  return own(RoaringBitmap32.unsafeFrozenView(bytes, 'unsafe_frozen_portable'));
}

function asBitmap(set: CodeSet): ReadonlyRoaringBitmap32 {
  if (!isFlat(set)) return set;
  scratch.clear();
  scratch.addMany(set);
  return scratch;
}

/** Those codes of `flat` that are (`keep` true) or are not (`keep` false) in `large`. */
function probe(flat: Uint32Array, large: ReadonlyRoaringBitmap32, keep: boolean): Uint32Array {
  if (flat.length <= probesMax) return flat.filter((code) => large.has(code) === keep);
  asBitmap(flat);
  if (keep) scratch.andInPlace(large);
  else scratch.andNotInPlace(large);
  return scratch.toUint32Array();
}

function probeCount(flat: Uint32Array, large: ReadonlyRoaringBitmap32): number {
  if (flat.length > probesMax) return large.andCardinality(asBitmap(flat));
  let count = 0;
  for (const code of flat) if (large.has(code)) count++;
  return count;
}

function unionOfTwo(sets: readonly CodeSet[]): CodeSet {
  const [first, second] = sets;
  if (first === undefined) return emptySet;
  return second === undefined ? first : setOr(first, second);
}

function flatCodes(sets: readonly Uint32Array[]): FlatCodes {
  let count = 0;
  let max = 0;
  for (const set of sets) {
    count += set.length;
    for (let i = 0; i < set.length; i++) if (set[i]! > max) max = set[i]!;
  }
  return {
    count,
    max,
    visit: (take) => {
      for (const set of sets) take(set, 0, set.length);
    },
  };
}

function unionFlat(flat: FlatCodes): CodeSet {
  if (flat.count === 0) return emptySet;
  if (flat.count <= sortedUnionMax) return sortUnique(joined(flat));
  return setOfUnion(unionCodes(flat, smallCardinalityMax));
}

function setOfUnion(union: UnionResult): CodeSet {
  return 'codes' in union ? setFromSorted(union.codes) : view(union.portable);
}

function joined(flat: FlatCodes): Uint32Array {
  const all = new Uint32Array(flat.count);
  let at = 0;
  flat.visit((codes, start, end) => {
    for (let i = start; i < end; i++) all[at++] = codes[i]!;
  });
  return all;
}

function unionLarge(large: readonly ReadonlyRoaringBitmap32[]): ReadonlyRoaringBitmap32 {
  if (large.length === 1) return large[0]!;
  if (large.length <= unionManyMax) return RoaringBitmap32.orMany(large);
  const all = RoaringBitmap32.orMany(large.slice(0, unionManyMax));
  for (let i = unionManyMax; i < large.length; i++) {
    all.orInPlace(large[i]!);
  }
  return all;
}
