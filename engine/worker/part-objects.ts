// Stripe parts in the store: an index costs one ranged read and is kept; sets are read by their extents
// and kept per (part, column, group). All of it is immutable, so nothing kept is ever stale, and
// nothing correct depends on what is kept.

import { defined } from '../../base/assert.ts';
import type { ByteRange } from '../../base/byte-range.ts';
import { MusterError } from '../../base/errors.ts';
import type { PartPlace } from '../../catalog/entry.ts';
import type { CodeRange } from '../../storage-format/bitmap.ts';
import type { Column } from '../../storage-format/column.ts';
import { openPart, type PartIndex } from '../../storage-format/part-index.ts';
import { readCardinalities, readScalars } from '../../storage-format/part-reader.ts';
import { NoSets, type SetVector } from '../../storage-format/set-vector.ts';
import { readSlices } from '../../storage-format/slice-reader.ts';
import { StoredSlices } from '../../storage-format/stored-slices.ts';
import type { StripeRef } from '../batch/batch.ts';
import { carriedIndex, type CarriedIndex, type OpenedIndexes } from '../batch/carried-indexes.ts';
import { findRepeated } from '../batch/repeated-strings.ts';
import type { DataObjects } from '../dictionary/data-objects.ts';
import { columnBytes } from '../rows/column-bytes.ts';
import type { WorkerCaches } from './worker-environment.ts';

export interface SetPlace {
  readonly columnId: number;
  readonly group: number;
  /** Of the group in the pinned dictionary: every stored code is below it. */
  readonly nextCode: number;
}

export interface WantedRows {
  /** Of a stripe. */
  readonly rows: Int32Array;
  /** Only members in these ranges (ascending, apart) need be there. */
  readonly within?: readonly CodeRange[];
}

interface OpenedPart {
  readonly name: string;
  readonly index: PartIndex;
  readonly read: (range: ByteRange) => Promise<Uint8Array>;
}

interface PartKnowledge {
  /** Indexes that came with the batch. */
  readonly carried?: readonly CarriedIndex[] | undefined;
  /** To be told of parts that were not known before. */
  readonly opened?: OpenedIndexes;
}

export class PartObjects {
  readonly #data: DataObjects;
  readonly #caches: WorkerCaches;
  readonly #knowledge: PartKnowledge;

  constructor(data: DataObjects, caches: WorkerCaches, knowledge: PartKnowledge = {}) {
    this.#data = data;
    this.#caches = caches;
    this.#knowledge = knowledge;
  }

  /** Sets of a stripe's rows, of which at least these can be located. Reads only what isn't kept. */
  async sets(stripe: StripeRef, place: SetPlace, wanted: WantedRows): Promise<SetVector> {
    const part = await this.#open(placeOfGroup(stripe, place.group));
    const name = `${part.name}|${place.columnId}|${place.group}`;
    if (!part.index.hasColumn(place.columnId)) return new NoSets(stripe.rows);
    const known = this.#caches.sets.get(name);
    if (known === undefined) checkCodes(part.index, place);
    const kept = known ?? new StoredSlices(part.index.rows);
    // Known from here on: slices that start together add to the same.
    if (known === undefined) this.#caches.sets.set(name, kept, kept.bytes);
    const { rows, within } = wanted;
    const missing = kept.missing(rows, within);
    if (missing.length > 0) {
      const what = { ...place, ...wanted, rows: missing };
      await readSlices(part.index, what, { into: kept, read: part.read });
      this.#caches.sets.set(name, kept, kept.bytes);
    }
    return within === undefined ? kept : kept.within(rows, within);
  }

  /** Cardinality of every row of a stripe: from the index, or one more read. */
  async cardinalities(
    stripe: StripeRef,
    place: Pick<SetPlace, 'columnId' | 'group'>,
  ): Promise<Uint32Array> {
    const part = await this.#open(placeOfGroup(stripe, place.group));
    if (!part.index.hasColumn(place.columnId)) return new Uint32Array(stripe.rows);
    return await readCardinalities(part.index, place, part.read);
  }

  /** As `cardinalities`, kept for the next who reads them. */
  async counts(stripe: StripeRef, place: SetPlace): Promise<Uint32Array> {
    const part = await this.#open(placeOfGroup(stripe, place.group));
    if (!part.index.hasColumn(place.columnId)) return new Uint32Array(stripe.rows);
    const held = part.index.cardinality(place.columnId, place.group);
    if (held !== undefined) return held;
    const name = `${part.name}|${place.columnId}|${place.group}|counts`;
    const kept = this.#caches.columns.get(name);
    if (kept?.kind === 'number' && kept.values instanceof Uint32Array) return kept.values;
    const values = await readCardinalities(part.index, place, part.read);
    this.#caches.columns.set(name, { kind: 'number', values }, values.byteLength);
    return values;
  }

  /** Whole scalar columns of a stripe. */
  async scalars(stripe: StripeRef, columnIds: readonly number[]): Promise<readonly Column[]> {
    const part = await this.#open(firstPart(stripe));
    return await readScalars(part.index, columnIds, part.read);
  }

  /** As `scalars`, kept for the next who reads them. */
  async columns(stripe: StripeRef, columnIds: readonly number[]): Promise<readonly Column[]> {
    if (columnIds.length === 0) return [];
    const part = await this.#open(firstPart(stripe));
    const name = (id: number) => `${part.name}|${id}`;
    const kept = new Map(columnIds.map((id) => [id, this.#caches.columns.get(name(id))]));
    const missing = columnIds.filter((id) => kept.get(id) === undefined);
    const fresh = await readScalars(part.index, missing, part.read);
    missing.forEach((id, i) => {
      const column = sharing(defined(fresh[i], 'a column that was read'));
      kept.set(id, column.column);
      this.#caches.columns.set(name(id), column.column, column.bytes);
    });
    return columnIds.map((id) => defined(kept.get(id), 'a column of a stripe'));
  }

  async #open(place: PartPlace): Promise<OpenedPart> {
    const name = `${this.#data.cacheName(place.object)}@${place.offset}#${place.checksum}`;
    const read = (range: ByteRange) => this.#data.read(place.object, range);
    const known = this.#caches.parts.get(name);
    if (known !== undefined) return { name, index: known, read };
    const { carried, opened: told } = this.#knowledge;
    const index = await this.#caches.opening.run(name, async () => {
      const bytes =
        carriedIndex(carried, place) ?? (await this.#data.readForAll(place.object, place.index));
      const groups = [place.groupFirst, place.groupCount] as const;
      const opened = openPart(bytes, { ...place, groups }, this.#data.key(place.object));
      this.#caches.parts.set(name, opened, opened.bytesHeld);
      return opened;
    });
    told?.note(place, index.part.held);
    return { name, index, read };
  }
}

/** A column whose equal strings are one string, where they repeat, and what it holds. */
function sharing(column: Column): { readonly column: Column; readonly bytes: number } {
  const repeated = column.kind === 'string' ? findRepeated(column.values) : undefined;
  if (repeated === undefined) return { column, bytes: columnBytes(column) };
  const { distinct } = repeated;
  const values = Array.from(repeated.places, (place) => distinct[place] as string);
  const bytes = 8 * values.length + columnBytes({ kind: 'string', values: distinct });
  return { column: { ...column, kind: 'string', values }, bytes };
}

/** It holds the scalars. */
function firstPart(stripe: StripeRef): PartPlace {
  return defined(stripe.parts[0], 'the first part of a stripe');
}

function placeOfGroup(stripe: StripeRef, group: number): PartPlace {
  const place = stripe.parts.find(
    (part) => part.groupFirst <= group && group < part.groupFirst + part.groupCount,
  );
  return defined(place, `the part of group ${group}`);
}

/** A snapshot pins rows and codes together: no stored code is beyond those given out. */
function checkCodes(index: PartIndex, place: SetPlace): void {
  const code = index.maxCode(place.columnId, place.group);
  if (code < place.nextCode) return;
  throw new MusterError(
    'CORRUPTED_DATA',
    `corrupt part ${index.key}: code ${code} of group ${place.group}, ` +
      `where the next one to be given out is ${place.nextCode}`,
  );
}
