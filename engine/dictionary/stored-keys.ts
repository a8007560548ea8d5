// All keys of segments, one after the other, read in steps between which others get their turn. Of a large
// segment only its keys are read, each run against its own checksum: a third of its bytes.

import type { Clock } from '../../base/clock.ts';
import type { SegmentEntry } from '../../catalog/entry.ts';
import type { KeyDomain, KeyList } from '../../storage-format/key-list.ts';
import { loadSegment } from '../../storage-format/loaded-segment.ts';
import { decodeRuns, openSegment } from '../../storage-format/segment-reader.ts';
import type { DataObjects } from './data-objects.ts';

/** A segment up to this is read whole, at once. */
const wholeBytesMax = 4 * 1024 * 1024;
/** Of one read, at most 64 KiB each. */
const stepRuns = 64;

interface ReadingParts {
  readonly data: DataObjects;
  readonly clock: Clock;
}

/** In code order. One read of each small segment; of a large one its index, then one for each 64 runs. */
export async function readKeys(
  segments: readonly SegmentEntry[],
  domain: KeyDomain,
  parts: ReadingParts,
): Promise<KeyList> {
  const joined = new JoinedKeys(
    domain,
    segments.reduce((sum, { count }) => sum + count, 0),
  );
  for (const segment of segments) {
    for await (const keys of runsOf(segment, domain, parts.data)) {
      joined.add(keys);
      await parts.clock.sleep(0);
    }
  }
  return joined.keys;
}

async function* runsOf(
  segment: SegmentEntry,
  domain: KeyDomain,
  data: DataObjects,
): AsyncGenerator<KeyList> {
  const { place, count, hashMin, hashMax } = segment;
  const { object, offset, bytes, index: at } = place;
  const description = { ...place, count, hashMin, hashMax, domain };
  if (bytes <= wholeBytesMax) {
    const whole = await data.read(object, { start: offset, end: offset + bytes });
    yield loadSegment(whole, description, data.key(object)).keys();
    return;
  }
  const index = openSegment(await data.read(object, at), description, data.key(object));
  const { length } = index.directory.runs;
  for (let start = 0; start < length; start += stepRuns) {
    const range = { start, end: Math.min(start + stepRuns, length) };
    yield* await decodeRuns(index, range, (bytesOf) => data.read(object, bytesOf));
  }
}

/** Room for all is taken once; integers are copied, never joined anew. */
class JoinedKeys {
  readonly keys: KeyList;
  readonly #add: (more: KeyList) => void;

  constructor(domain: KeyDomain, count: number) {
    if (domain === 'integer') {
      const values = new BigUint64Array(count);
      let at = 0;
      this.keys = { domain, values };
      this.#add = (more) => {
        if (more.domain !== 'integer') return;
        values.set(more.values, at);
        at += more.values.length;
      };
    } else {
      const values: string[] = [];
      this.keys = { domain, values };
      this.#add = (more) => {
        if (more.domain !== 'integer') for (const value of more.values) values.push(value);
      };
    }
  }

  add(more: KeyList): void {
    this.#add(more);
  }
}
