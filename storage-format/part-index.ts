// An opened part: its directory and what can be answered from it without reading more. Opening takes
// the bytes of one ranged read whose place the catalog knows. SPEC.md, "The index".

import { assert } from '../base/assert.ts';
import { rangeLength } from '../base/byte-range.ts';
import { typed } from './column-decoder.ts';
import { type PartBytes, readHeld, type WantedBytes } from './extent-reader.ts';
import { corrupt, indexKinds, unsealIndex } from './index-trailer.ts';
import { type Members, splitMembers } from './member-slices.ts';
import {
  type ColumnExtents,
  decodeDirectory,
  type MemberExtents,
  type PartBatch,
  type PartDirectory,
  type ScalarExtents,
  type SliceExtents,
  type Zone,
} from './part-directory.ts';
import type { PartDescription } from './stripe-writer.ts';

/**
 * Throws CORRUPTED_DATA `corrupt part <key>: index ...` for a damaged index. `indexBytes` are the
 * bytes of the range `part.index`; the index keeps them.
 */
export function openPart(indexBytes: Uint8Array, part: PartDescription, key: string): PartIndex {
  if (indexBytes.length !== rangeLength(part.index)) {
    corrupt(key, `index: ${indexBytes.length} of ${rangeLength(part.index)} bytes`);
  }
  const { bytes, directory } = unsealIndex(indexBytes, indexKinds.stripePart, key);
  try {
    return new PartIndex(decodeDirectory(directory), bytes, {
      key,
      offset: part.offset,
      held: indexBytes,
      heldAt: part.index.start - part.offset,
    });
  } catch (error) {
    return corrupt(key, 'index: directory', error);
  }
}

/** Answers from the index alone; part-reader.ts reads what isn't in it. Immutable but for memos. */
export class PartIndex {
  readonly directory: PartDirectory;
  /** The index itself: copies are at its start. */
  readonly copies: Uint8Array;
  readonly part: PartBytes;
  readonly #columns = new Map<number, number>();
  readonly #memos = new Map<string, unknown>();

  constructor(directory: PartDirectory, copies: Uint8Array, part: PartBytes) {
    this.directory = directory;
    this.copies = copies;
    this.part = part;
    directory.columns.forEach((column, at) => this.#columns.set(column.id, at));
  }

  get key(): string {
    return this.part.key;
  }

  get rows(): number {
    return this.directory.rows;
  }

  /** First group of this part and how many. */
  get groups(): readonly [number, number] {
    return this.directory.groups;
  }

  /** About the bytes that this index keeps in memory, for caches: what was read and what it derives. */
  get bytesHeld(): number {
    const perExtent = 200;
    const extents = this.directory.batches.length * this.directory.columns.length;
    return 3 * this.part.held.length + perExtent * extents;
  }

  /** False for a column that was added to the table after this part was written. */
  hasColumn(columnId: number): boolean {
    return this.#columns.has(columnId);
  }

  /**
   * Cardinality of each row's slice in a group; undefined when it doesn't ride in the index (then
   * readCardinalities reads it).
   */
  cardinality(columnId: number, group: number): Uint32Array | undefined {
    return this.memo(`cardinality ${columnId} ${group}`, () => {
      if (this.directory.shape === 'unsplit') return this.members(columnId)?.[group]?.cardinality;
      const runs: Uint32Array[] = [];
      for (const slice of this.slices(columnId, group)) {
        const counts = this.copiedCounts(slice);
        if (counts === undefined) return undefined;
        runs.push(counts);
      }
      return joinNumbers(runs, this.rows);
    });
  }

  /** Largest code of a column in a group, -1 when it has none: must be below the next code. */
  maxCode(columnId: number, group: number): number {
    if (this.directory.shape !== 'unsplit') {
      return Math.max(...this.slices(columnId, group).map((slice) => slice.extents.maxCode));
    }
    const codes = this.memberExtents(columnId).map(({ extents }) => extents.maxCodes[group] ?? -1);
    return Math.max(...codes);
  }

  /** Bounds of each row group of a scalar column; undefined where nothing is known. */
  zones(columnId: number): readonly (Zone | undefined)[] {
    return this.scalarExtents(columnId).map(({ extents }) => extents.zone);
  }

  scalarExtents(columnId: number): readonly RowGroupExtents<ScalarExtents>[] {
    return this.#extents(columnId, this.groups[0], 'scalar');
  }

  slices(columnId: number, group: number): readonly RowGroupExtents<SliceExtents>[] {
    return this.#extents(columnId, group, 'slices');
  }

  memberExtents(columnId: number): readonly RowGroupExtents<MemberExtents>[] {
    return this.#extents(columnId, 0, 'members');
  }

  /** The slices of an unsplit column, by group; undefined when its members aren't held. */
  members(columnId: number): readonly Members[] | undefined {
    return this.memo(`members ${columnId}`, () => {
      const runs: Uint8Array[] = [];
      for (const { extents, name, bodyAt } of this.memberExtents(columnId)) {
        const bytes = readHeld(this.part, wantExtent(extents, name, bodyAt));
        if (bytes === undefined) return undefined;
        runs.push(bytes);
      }
      return this.splitMembers(columnId, runs);
    });
  }

  /** From the checked extents of the column, one for each row group. */
  splitMembers(columnId: number, runs: readonly Uint8Array[]): readonly Members[] {
    const { tableGroups, rows } = this.directory;
    const extents = this.memberExtents(columnId);
    try {
      const pieces = runs.map((bytes, i) => ({ bytes, rows: extents[i]!.rows }));
      return splitMembers(pieces, rows, tableGroups);
    } catch (error) {
      return corrupt(this.key, `extent ${extents[0]?.name ?? ''}`, error);
    }
  }

  /** Computes once what is derived from immutable bytes. */
  memo<T>(name: string, compute: () => T): T {
    if (!this.#memos.has(name)) this.#memos.set(name, compute());
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one name, one type
    return this.#memos.get(name) as T;
  }

  /** Cardinalities of one row group, where they ride in the index. */
  copiedCounts(slice: RowGroupExtents<SliceExtents>): Uint32Array | undefined {
    const copy = slice.extents.cardinalities;
    if (copy === undefined) return undefined;
    const bytes = this.copies.subarray(copy.at, copy.at + slice.rows * copy.width);
    if (copy.width === 1) return new Uint32Array(bytes);
    return copy.width === 2
      ? new Uint32Array(typed(bytes, Uint16Array, slice.rows))
      : typed(bytes, Uint32Array, slice.rows);
  }

  #extents<K extends ColumnExtents['kind']>(
    columnId: number,
    group: number,
    kind: K,
  ): RowGroupExtents<ColumnExtents & { kind: K }>[] {
    const at = this.#columns.get(columnId);
    assert(at !== undefined, `part ${this.key} has a column ${columnId}`);
    return this.#batchesOf(group).map((batch, rowGroup) => {
      const extents = batch.columns[at];
      assert(isKind(extents, kind), `column ${columnId} of part ${this.key} is stored as ${kind}`);
      const rows = this.directory.rowGroups[rowGroup]!;
      const name = `column ${columnId}, group ${group}, row group ${rowGroup}`;
      return { extents, rows, name, bodyAt: batch.bodyAt };
    });
  }

  #batchesOf(group: number): readonly PartBatch[] {
    const { batches, rowGroups, groups, shape } = this.directory;
    const place = shape === 'unsplit' ? 0 : group - groups[0];
    assert(place >= 0 && place < groups[1], `group ${group} is in part ${this.key}`);
    return batches.slice(place * rowGroups.length, (place + 1) * rowGroups.length);
  }
}

/** The numbers of several runs as one array of `length`. */
export function joinNumbers(runs: readonly Uint32Array[], length: number): Uint32Array {
  const all = new Uint32Array(length);
  let at = 0;
  for (const run of runs) {
    all.set(run, at);
    at += run.length;
  }
  return all;
}

/** One row group's extents of a column, and where its body starts in the part. */
export interface RowGroupExtents<E> {
  readonly extents: E;
  readonly rows: number;
  readonly name: string;
  readonly bodyAt: number;
}

export function wantExtent(
  extents: ScalarExtents | MemberExtents,
  name: string,
  bodyAt: number,
): WantedBytes {
  return { at: bodyAt + extents.extent.at, pieces: [extents.extent], name };
}

function isKind<K extends ColumnExtents['kind']>(
  extents: ColumnExtents | undefined,
  kind: K,
): extents is ColumnExtents & { kind: K } {
  return extents?.kind === kind;
}
