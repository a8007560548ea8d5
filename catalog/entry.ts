// Catalog entries: one per stripe and one per dictionary segment. All that a planner needs without
// opening an object; see SPEC.md, "Entries". Keys and bounds are byte strings (encoded key tuples,
// storage-format/key-tuple.ts), so that comparing strings compares keys.

import type { ByteRange } from '../base/byte-range.ts';
import type { StripeShape } from '../storage-format/part-directory.ts';
import type { CatalogVersion, DictionaryId, TableId } from './schema.ts';

/** A stripe's place in the order of commits: set at commit, compared pairwise. */
export interface Sequence {
  readonly version: CatalogVersion;
  readonly ordinal: number;
}

/** Where one part lies: a byte range of an immutable object. */
export interface PartPlace {
  /** Name below <root>/data/<namespace id>/: 32 hex digits, with `-<group>` where split. */
  readonly object: string;
  readonly objectBytes: number;
  readonly offset: number;
  readonly bytes: number;
  /** CRC32C of the part's bytes. */
  readonly checksum: number;
  /** Of the object, absolute: one ranged read that opens the part. */
  readonly index: ByteRange;
  /** Groups whose slices are here: [first, first + count). */
  readonly groupFirst: number;
  readonly groupCount: number;
  /** Other entries use this object too (packed or cloned). */
  readonly shared: boolean;
}

export interface ZoneBounds {
  readonly columnId: number;
  readonly min: string;
  readonly max: string;
}

/** A stripe as its writer describes it; its place in the order comes with the commit. */
export interface NewStripe {
  readonly table: TableId;
  readonly partition: string;
  readonly shape: StripeShape;
  readonly rows: number;
  readonly parts: readonly PartPlace[];
  /** Per group, in group order; one group for tables without bitmap columns. */
  readonly groupBytes: readonly number[];
  readonly groupCardinality: readonly number[];
  readonly keyMin: string;
  readonly keyMax: string;
  readonly zones: readonly ZoneBounds[];
  readonly schemaVersion: number;
  /** The sum of the epochs of the table's dictionaries when the rows were encoded. */
  readonly erasureEpoch: number;
}

export interface StripeEntry extends NewStripe {
  readonly first: Sequence;
  readonly last: Sequence;
}

/** Which stripe of a partition: its sequence says it, keyMin where the tree has it. */
export type StripeName = Pick<StripeEntry, 'keyMin' | 'first'>;

/** A stripe that took the place of others of its table and partition. */
export interface MergedStripe {
  readonly stripe: StripeEntry;
  /** In order of sequence. */
  readonly taken: readonly StripeName[];
}

/** Codes [base, base + count) of one group. */
export interface SegmentEntry {
  readonly dictionary: DictionaryId;
  readonly group: number;
  readonly base: number;
  readonly count: number;
  readonly place: PartPlace;
  /** Bounds of the high 32 bits of the keys' hashes, inclusive. */
  readonly hashMin: number;
  readonly hashMax: number;
  readonly first: Sequence;
}
