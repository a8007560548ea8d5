// All rows of one stripe, for a merge that needs every byte: each part is one read, checked as a whole,
// and columns are decoded from memory. Codes stay codes.

import { assert } from '../../base/assert.ts';
import type { ByteRange } from '../../base/byte-range.ts';
import { MusterError } from '../../base/errors.ts';
import type { PartPlace, StripeEntry } from '../../catalog/entry.ts';
import type { Column } from '../../storage-format/column.ts';
import { crc32c } from '../../storage-format/crc32c.ts';
import { openPart, type PartIndex } from '../../storage-format/part-index.ts';
import { readScalars, readSets } from '../../storage-format/part-reader.ts';
import type { SetVector } from '../../storage-format/set-vector.ts';
import type { DataObjects } from '../dictionary/data-objects.ts';

interface HeldPart {
  readonly place: PartPlace;
  readonly index: PartIndex;
  readonly read: (range: ByteRange) => Promise<Uint8Array>;
}

export class StripeContents {
  readonly stripe: StripeEntry;
  readonly #parts: readonly HeldPart[];

  private constructor(stripe: StripeEntry, parts: readonly HeldPart[]) {
    this.stripe = stripe;
    this.#parts = parts;
  }

  /** Requests: one for each part. Memory: the stripe's bytes. Throws CORRUPTED_DATA. */
  static async read(stripe: StripeEntry, data: DataObjects): Promise<StripeContents> {
    const parts = await Promise.all(stripe.parts.map((place) => readPart(place, data)));
    return new StripeContents(stripe, parts);
  }

  async scalars(columnIds: readonly number[]): Promise<readonly Column[]> {
    const part = this.#parts[0];
    assert(part !== undefined, 'a stripe has a part');
    return await readScalars(part.index, columnIds, part.read);
  }

  /** Of all rows. */
  async sets(columnId: number, group: number): Promise<SetVector> {
    const part = this.#parts.find(
      ({ place }) => place.groupFirst <= group && group < place.groupFirst + place.groupCount,
    );
    assert(part !== undefined, `the stripe has group ${group}`);
    return await readSets(part.index, { columnId, group }, part.read);
  }
}

async function readPart(place: PartPlace, data: DataObjects): Promise<HeldPart> {
  const { object, offset, index, groupFirst, groupCount } = place;
  const key = data.key(object);
  const bytes = await data.read(object, { start: offset, end: offset + place.bytes });
  if (bytes.length !== place.bytes || crc32c(bytes) !== place.checksum) {
    throw new MusterError('CORRUPTED_DATA', `corrupt part ${key}: its checksum differs`);
  }
  const within = ({ start, end }: ByteRange) => bytes.subarray(start - offset, end - offset);
  const description = { ...place, groups: [groupFirst, groupCount] as const };
  return {
    place,
    index: openPart(within(index), description, key),
    read: async (range) => within(range),
  };
}
