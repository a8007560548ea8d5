// Places of parts as columns (SPEC.md, "Places"). Places of one insert share an object and follow
// one another in it, so an object is written once for a run of places.

import type { ByteReader } from '../base/byte-reader.ts';
import type { ByteWriter } from '../base/byte-writer.ts';
import type { PartPlace } from './entry.ts';
import { dataName, parseDataName } from './keys.ts';

/** The caller knows how many: no count is written. */
export function encodePlaces(writer: ByteWriter, places: readonly PartPlace[]): void {
  encodeObjects(writer, places);
  for (const place of places) writer.varuint(place.objectBytes);
  for (const place of places) writer.varuint(place.offset);
  for (const place of places) writer.varuint(place.bytes);
  for (const place of places) writer.u32(place.checksum);
  for (const place of places) writer.varuint(place.index.start);
  for (const place of places) writer.varuint(place.index.end - place.index.start);
  for (const place of places) writer.varuint(place.groupFirst);
  for (const place of places) writer.varuint(place.groupCount);
  for (const place of places) writer.u8(place.shared ? 1 : 0);
}

export function decodePlaces(reader: ByteReader, count: number): PartPlace[] {
  if (count > reader.remaining) reader.refuse(`counts ${count} places`);
  const each = <T>(read: () => T): T[] => Array.from({ length: count }, read);
  const objects = decodeObjects(reader, count);
  const objectBytes = each(() => reader.varuint());
  const offsets = each(() => reader.varuint());
  const bytes = each(() => reader.varuint());
  const checksums = each(() => reader.u32());
  const indexStarts = each(() => reader.varuint());
  const indexBytes = each(() => reader.varuint());
  const groupFirsts = each(() => reader.varuint());
  const groupCounts = each(() => reader.varuint());
  return objects.map((object, i) => ({
    object,
    objectBytes: objectBytes[i] as number,
    offset: offsets[i] as number,
    bytes: bytes[i] as number,
    checksum: checksums[i] as number,
    index: {
      start: indexStarts[i] as number,
      end: (indexStarts[i] as number) + (indexBytes[i] as number),
    },
    groupFirst: groupFirsts[i] as number,
    groupCount: groupCounts[i] as number,
    shared: reader.u8() === 1,
  }));
}

// Per place: 1 and 16 bytes of id, or 0 for the id before; then the group + 1, 0 for none.
function encodeObjects(writer: ByteWriter, places: readonly PartPlace[]): void {
  let previous = '';
  for (const { object } of places) {
    const { id, group } = parseDataName(object);
    writer.u8(id === previous ? 0 : 1);
    if (id !== previous) writer.hexId(id);
    writer.varuint(group === undefined ? 0 : group + 1);
    previous = id;
  }
}

function decodeObjects(reader: ByteReader, count: number): string[] {
  let id = '';
  return Array.from({ length: count }, () => {
    if (reader.u8() !== 0) id = reader.hexId();
    const group = reader.varuint();
    if (id === '' || group > 10_000) reader.refuse('names no data object');
    return dataName(id, group === 0 ? undefined : group - 1);
  });
}
