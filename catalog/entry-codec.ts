// Stripes and dictionary segments as columns (SPEC.md, "Columnar entries"): each field of all
// entries together, byte strings front-coded against their neighbour, so that a page of entries
// which differ little is small. Pages and the tail of heads share this form.

import type { ByteReader } from '../base/byte-reader.ts';
import type { ByteWriter } from '../base/byte-writer.ts';
import type { StripeShape } from '../storage-format/part-directory.ts';
import type { MergedStripe, SegmentEntry, Sequence, StripeEntry, ZoneBounds } from './entry.ts';
import { decodePlaces, encodePlaces } from './place-codec.ts';
import type { CatalogVersion, DictionaryId, TableId } from './schema.ts';

const shapes = ['unsplit', 'batches', 'objects'] as const satisfies readonly StripeShape[];

export function encodeStripes(writer: ByteWriter, stripes: readonly StripeEntry[]): void {
  writer.varuint(stripes.length);
  for (const stripe of stripes) writer.varuint(stripe.table);
  encodeFrontCoded(
    writer,
    stripes.map((stripe) => stripe.partition),
  );
  encodeFrontCoded(
    writer,
    stripes.map((stripe) => stripe.keyMin),
  );
  for (const { keyMin, keyMax } of stripes) encodeSuffix(writer, keyMin, keyMax);
  for (const stripe of stripes) encodeSequence(writer, stripe.first);
  for (const stripe of stripes) encodeSequence(writer, stripe.last);
  for (const stripe of stripes) writer.u8(shapes.indexOf(stripe.shape));
  for (const stripe of stripes) writer.varuint(stripe.rows);
  for (const stripe of stripes) writer.varuint(stripe.schemaVersion);
  for (const stripe of stripes) writer.varuint(stripe.erasureEpoch);
  for (const stripe of stripes) encodeNumbers(writer, stripe.groupBytes);
  for (const stripe of stripes) encodeNumbers(writer, stripe.groupCardinality);
  for (const stripe of stripes) encodeZones(writer, stripe.zones);
  for (const stripe of stripes) writer.varuint(stripe.parts.length);
  encodePlaces(
    writer,
    stripes.flatMap((stripe) => stripe.parts),
  );
}

export function decodeStripes(reader: ByteReader): StripeEntry[] {
  const count = reader.count();
  const each = <T>(read: () => T): T[] => Array.from({ length: count }, read);
  const tables = each(() => reader.varuint() as TableId);
  const partitions = decodeFrontCoded(reader, count);
  const keyMins = decodeFrontCoded(reader, count);
  const keyMaxs = keyMins.map((keyMin) => decodeSuffix(reader, keyMin));
  const firsts = each(() => decodeSequence(reader));
  const lasts = each(() => decodeSequence(reader));
  const stripeShapes = each(() => decodeShape(reader));
  const rows = each(() => reader.varuint());
  const schemaVersions = each(() => reader.varuint());
  const erasureEpochs = each(() => reader.varuint());
  const groupBytes = each(() => decodeNumbers(reader));
  const groupCardinalities = each(() => decodeNumbers(reader));
  const zones = each(() => decodeZones(reader));
  const partCounts = each(() => reader.count());
  const places = decodePlaces(
    reader,
    partCounts.reduce((sum, parts) => sum + parts, 0),
  );
  let part = 0;
  return Array.from({ length: count }, (_, i) => ({
    table: tables[i] as TableId,
    partition: partitions[i] as string,
    shape: stripeShapes[i] as StripeShape,
    rows: rows[i] as number,
    parts: places.slice(part, (part += partCounts[i] as number)),
    groupBytes: groupBytes[i] as number[],
    groupCardinality: groupCardinalities[i] as number[],
    keyMin: keyMins[i] as string,
    keyMax: keyMaxs[i] as string,
    zones: zones[i] as ZoneBounds[],
    schemaVersion: schemaVersions[i] as number,
    erasureEpoch: erasureEpochs[i] as number,
    first: firsts[i] as Sequence,
    last: lasts[i] as Sequence,
  }));
}

/** The stripes; then of each those whose place it took. */
export function encodeMergedStripes(writer: ByteWriter, merged: readonly MergedStripe[]): void {
  encodeStripes(
    writer,
    merged.map(({ stripe }) => stripe),
  );
  for (const { stripe, taken } of merged) {
    writer.list(taken, ({ keyMin, first }) => {
      encodeSuffix(writer, stripe.keyMin, keyMin);
      encodeSequence(writer, first);
    });
  }
}

export function decodeMergedStripes(reader: ByteReader): MergedStripe[] {
  return decodeStripes(reader).map((stripe) => ({
    stripe,
    taken: reader.list(() => ({
      keyMin: decodeSuffix(reader, stripe.keyMin),
      first: decodeSequence(reader),
    })),
  }));
}

export function encodeSegments(writer: ByteWriter, segments: readonly SegmentEntry[]): void {
  writer.varuint(segments.length);
  for (const segment of segments) writer.varuint(segment.dictionary);
  for (const segment of segments) writer.varuint(segment.group);
  for (const segment of segments) writer.varuint(segment.base);
  for (const segment of segments) writer.varuint(segment.count);
  for (const segment of segments) writer.u32(segment.hashMin);
  for (const segment of segments) writer.u32(segment.hashMax);
  for (const segment of segments) encodeSequence(writer, segment.first);
  encodePlaces(
    writer,
    segments.map((segment) => segment.place),
  );
}

export function decodeSegments(reader: ByteReader): SegmentEntry[] {
  const count = reader.count();
  const each = <T>(read: () => T): T[] => Array.from({ length: count }, read);
  const dictionaries = each(() => reader.varuint() as DictionaryId);
  const groups = each(() => reader.varuint());
  const bases = each(() => reader.varuint());
  const counts = each(() => reader.varuint());
  const hashMins = each(() => reader.u32());
  const hashMaxs = each(() => reader.u32());
  const firsts = each(() => decodeSequence(reader));
  return decodePlaces(reader, count).map((place, i) => ({
    dictionary: dictionaries[i] as DictionaryId,
    group: groups[i] as number,
    base: bases[i] as number,
    count: counts[i] as number,
    place,
    hashMin: hashMins[i] as number,
    hashMax: hashMaxs[i] as number,
    first: firsts[i] as Sequence,
  }));
}

/** Each text as the length it shares with the one before, and the rest. */
function encodeFrontCoded(writer: ByteWriter, texts: readonly string[]): void {
  let previous = '';
  for (const text of texts) {
    encodeSuffix(writer, previous, text);
    previous = text;
  }
}

function decodeFrontCoded(reader: ByteReader, count: number): string[] {
  let previous = '';
  return Array.from({ length: count }, () => (previous = decodeSuffix(reader, previous)));
}

export function encodeSuffix(writer: ByteWriter, previous: string, text: string): void {
  let shared = 0;
  while (shared < text.length && text.charCodeAt(shared) === previous.charCodeAt(shared)) shared++;
  writer.varuint(shared);
  writer.byteString(text.slice(shared));
}

export function decodeSuffix(reader: ByteReader, previous: string): string {
  const shared = reader.varuint();
  const rest = reader.byteString();
  if (shared > previous.length) reader.refuse('shares more text than there is');
  return shared === 0 ? rest : previous.slice(0, shared) + rest;
}

function encodeSequence(writer: ByteWriter, sequence: Sequence): void {
  writer.varuint(sequence.version);
  writer.varuint(sequence.ordinal);
}

function decodeSequence(reader: ByteReader): Sequence {
  return { version: reader.varuint() as CatalogVersion, ordinal: reader.varuint() };
}

function decodeShape(reader: ByteReader): StripeShape {
  const shape = shapes[reader.u8()];
  if (shape === undefined) reader.refuse('has an unknown stripe shape');
  return shape;
}

export function encodeNumbers(writer: ByteWriter, numbers: readonly number[]): void {
  writer.list(numbers, (number) => writer.varuint(number));
}

export function decodeNumbers(reader: ByteReader): number[] {
  return reader.list(() => reader.varuint());
}

function encodeZones(writer: ByteWriter, zones: readonly ZoneBounds[]): void {
  writer.list(zones, ({ columnId, min, max }) => {
    writer.varuint(columnId);
    writer.byteString(min);
    encodeSuffix(writer, min, max);
  });
}

function decodeZones(reader: ByteReader): ZoneBounds[] {
  return reader.list(() => {
    const columnId = reader.varuint();
    const min = reader.byteString();
    return { columnId, min, max: decodeSuffix(reader, min) };
  });
}
