// Places of parts as columns (SPEC.md, "Places"). Places of one insert share an object and follow
// one another in it, so an object is written once for a run of places.

import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import type { PartPlace } from './entry.ts';
import { dataName, parseDataName } from './keys.ts';

/** The caller knows how many: no count is written. */
export function encodePlaces(writer: ByteWriter, places: readonly PartPlace[]): void {
  encodeObjects(writer, places);
  for (const place of places) writer.varint(place.objectBytes);
  for (const place of places) writer.varint(place.offset);
  for (const place of places) writer.varint(place.bytes);
  for (const place of places) writer.uint32(place.checksum);
  for (const place of places) writer.varint(place.index.start);
  for (const place of places) writer.varint(place.index.end - place.index.start);
  for (const place of places) writer.varint(place.groupFirst);
  for (const place of places) writer.varint(place.groupCount);
  for (const place of places) writer.byte(place.shared ? 1 : 0);
}

export function decodePlaces(reader: ByteReader, count: number): PartPlace[] {
  if (count > reader.remaining) throw reader.corrupt(`counts ${count} places`);
  const each = <T>(read: () => T): T[] => Array.from({ length: count }, read);
  const objects = decodeObjects(reader, count);
  const objectBytes = each(() => reader.varint());
  const offsets = each(() => reader.varint());
  const bytes = each(() => reader.varint());
  const checksums = each(() => reader.uint32());
  const indexStarts = each(() => reader.varint());
  const indexBytes = each(() => reader.varint());
  const groupFirsts = each(() => reader.varint());
  const groupCounts = each(() => reader.varint());
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
    shared: reader.byte() === 1,
  }));
}

// Per place: 1 and 16 bytes of id, or 0 for the id before; then the group + 1, 0 for none.
function encodeObjects(writer: ByteWriter, places: readonly PartPlace[]): void {
  let previous = '';
  for (const { object } of places) {
    const { id, group } = parseDataName(object);
    writer.byte(id === previous ? 0 : 1);
    if (id !== previous) writer.hexId(id);
    writer.varint(group === undefined ? 0 : group + 1);
    previous = id;
  }
}

function decodeObjects(reader: ByteReader, count: number): string[] {
  let id = '';
  return Array.from({ length: count }, () => {
    if (reader.byte() !== 0) id = reader.hexId();
    const group = reader.varint();
    if (id === '' || group > 10_000) throw reader.corrupt('names no data object');
    return dataName(id, group === 0 ? undefined : group - 1);
  });
}
