// Sizes and times of the catalog, all in one place so that tests can shrink them.

export interface CatalogLimits {
  /** A longer tail is folded by the next commit. */
  readonly tailFoldBytes: number;
  /** A record above this never rests in the tail: its commit folds it at once. */
  readonly recordBytesMax: number;
  /** No head is larger. */
  readonly headBytesMax: number;
  /** A root above this gets one more level of pages below it. */
  readonly rootBytesMax: number;
  readonly leafRowsMax: number;
  readonly leafBytesMax: number;
  readonly innerBytesMax: number;
  /** Between being superseded and being swept: fixed by a chain's first head. */
  readonly keepMs: number;
  /** How long an unknown outcome or a conflict is tried again. */
  readonly doubtMs: number;
  /** How long a commit waits at the tail's hard limit. */
  readonly fullTailMs: number;
  readonly lostRacesMax: number;
  readonly pageCacheBytes: number;
}

const kib = 1024;
const hourMs = 3_600_000;

export const defaultLimits: CatalogLimits = {
  tailFoldBytes: 32 * kib,
  recordBytesMax: 64 * kib,
  headBytesMax: 256 * kib,
  rootBytesMax: 8 * kib,
  leafRowsMax: 2_000,
  leafBytesMax: 128 * kib,
  innerBytesMax: 48 * kib,
  keepMs: 24 * hourMs,
  doubtMs: 20_000,
  fullTailMs: 10_000,
  lostRacesMax: 200,
  pageCacheBytes: 64 * kib * kib,
};

/** Tokens of inserts are known this long. */
export const tokenKeepMs = 7 * 24 * hourMs;

/** Uploads must be dated this much after `sweptBefore` to be referred to. */
export const sweepMarginMs = hourMs;

/** Longer bounds of keys and zones are cut (see SPEC.md, "Bounds"). */
export const boundCharsMax = 1_024;

/** A partition's value is never cut. */
export const partitionCharsMax = 4_096;
