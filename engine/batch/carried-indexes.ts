// Indexes of parts that the root had to read for its own rows, carried to the workers within the batch:
// who knows as little as the root did opens the part from them, and spares a request, its bytes and a
// round of waiting. Only what this very statement read is carried, for where the root knew a part
// already, so will its workers; and only parts that hold all groups, which every worker needs. Nothing
// depends on it: a worker that finds no index in the batch reads it. SPEC.md, "The index".

import type { PartPlace } from '../../catalog/entry.ts';
import type { StripeSource } from './batch.ts';

/** Bytes of the range `index` of the part at this place; they bear their own checksum. */
export interface CarriedIndex {
  readonly object: string;
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** Of one batch, in all: it goes to each worker that is asked. */
const carriedBytesMax = 64 * 1024;

/** What one statement opened at the root. */
export class OpenedIndexes {
  readonly #opened = new Map<string, Uint8Array>();

  /** `held`: the bytes of `place.index`. */
  note(place: PartPlace, held: Uint8Array): void {
    this.#opened.set(nameOf(place), held);
  }

  /** Those that workers need for these stripes, as far as they fit; undefined where there are none. */
  carried(sources: readonly StripeSource[]): readonly CarriedIndex[] | undefined {
    if (this.#opened.size === 0) return undefined;
    const found = new Map<string, CarriedIndex>();
    let left = carriedBytesMax;
    for (const { groups, stripes } of sources) {
      for (const place of stripes.flatMap(({ parts }) => parts)) {
        const name = nameOf(place);
        const bytes = place.groupCount === groups ? this.#opened.get(name) : undefined;
        if (bytes === undefined || bytes.length > left || found.has(name)) continue;
        left -= bytes.length;
        found.set(name, { object: place.object, offset: place.offset, bytes });
      }
    }
    return found.size === 0 ? undefined : [...found.values()];
  }
}

/** The part's index, in memory of its own: what a message holds is held whole. */
export function carriedIndex(
  carried: readonly CarriedIndex[] | undefined,
  { object, offset }: PartPlace,
): Uint8Array | undefined {
  const found = carried?.find((one) => one.object === object && one.offset === offset);
  return found === undefined ? undefined : Uint8Array.from(found.bytes);
}

function nameOf({ object, offset }: PartPlace): string {
  return `${object}@${offset}`;
}
