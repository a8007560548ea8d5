// The table of a large payload: its containers and the checksum of each piece, so that a few
// containers can be found, read and checked without the others. SPEC.md, "Tables of payloads". It
// proves itself: it names the payload that it is of by that one's checksum, and ends with its own.
//
//   u32 checksum of the payload | varuint pieces
//   for each piece: varuint containers | u32 checksum
//                   for each container: varuint 2 x (key - key before - 1) + (1: runs)
//                                       | varuint cardinality - 1 | varuint runs, if it is one of runs
//   u32 checksum of all before it

import { ByteReader, isNot } from '../base/byte-reader.ts';
import { ByteWriter } from '../base/byte-writer.ts';
import { crc32c } from './crc32c.ts';
import {
  containerBytesOf,
  headerLayout,
  type PortableHeader,
  readPortableHeader,
} from './portable-roaring.ts';

/** A payload up to this is read whole and has no table. */
export const wholePayloadBytesMax = 16 * 1024;
/** A piece has one container, or as many as fit. */
const pieceBytesMax = 8 * 1024;

export interface PayloadTable {
  readonly header: PortableHeader;
  /** First container of each piece and, last, the number of containers. */
  readonly firsts: Uint32Array;
  /** One for each piece. */
  readonly checksums: Uint32Array;
}

/** What the index says about a payload. */
export interface PayloadFacts {
  readonly bytes: number;
  readonly checksum: number;
  /** Absent: not compared. */
  readonly cardinality?: number;
}

/** The table of a payload in the portable format, whose checksum is given; empty for a short one. */
export function encodeTable(payload: Uint8Array, checksum: number): Uint8Array {
  if (payload.length <= wholePayloadBytesMax) return new Uint8Array(0);
  const header = readPortableHeader(payload);
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  const firsts = cutContainers(header);
  const writer = new ByteWriter(64 + 4 * header.containers);
  writer.u32(checksum);
  writer.varuint(firsts.length - 1);
  let key = -1;
  for (let p = 0; p + 1 < firsts.length; p++) {
    const [first, end] = [firsts[p]!, firsts[p + 1]!];
    writer.varuint(end - first);
    writer.u32(crc32c(payload.subarray(header.starts[first], header.starts[end])));
    for (let c = first; c < end; c++) {
      writer.varuint(2 * (header.keys[c]! - key - 1) + header.isRun[c]!);
      writer.varuint(header.cardinalities[c]! - 1);
      if (header.isRun[c]) writer.varuint(view.getUint16(header.starts[c]!, true));
      key = header.keys[c]!;
    }
  }
  writer.u32(crc32c(writer.finish()));
  return writer.finish();
}

/**
 * Throws INCORRECT_DATA for a damaged table, and for one that isn't of this payload. Cost: by
 * containers.
 */
export function decodeTable(bytes: Uint8Array, payload: PayloadFacts): PayloadTable {
  const refusal = isNot('the table of a payload');
  const end = bytes.length - 4;
  const reader = new ByteReader(bytes, refusal);
  if (end < 4) reader.refuse(`has ${bytes.length} bytes`);
  const sum = new DataView(bytes.buffer, bytes.byteOffset + end, 4).getUint32(0, true);
  if (crc32c(bytes.subarray(0, end)) !== sum) reader.refuse('has another checksum');
  if (reader.u32() !== payload.checksum) reader.refuse('is of another payload');
  const found = readContainers(new ByteReader(bytes.subarray(0, end), refusal, 4));
  const { header } = found;
  const { cardinality = header.cardinality } = payload;
  if (header.cardinality !== cardinality || header.starts[header.containers] !== payload.bytes) {
    const promised = `${cardinality} in ${payload.bytes} bytes were promised`;
    reader.refuse(`is of a bitmap of ${header.cardinality} members, where ${promised}`);
  }
  return found;
}

/** Bytes [start, end) of a piece within its payload. */
export function pieceRange(table: PayloadTable, piece: number): readonly [number, number] {
  const { starts } = table.header;
  return [starts[table.firsts[piece]!]!, starts[table.firsts[piece + 1]!]!];
}

/** First container of each piece and, last, the number of containers. */
function cutContainers({ starts, containers }: PortableHeader): number[] {
  const firsts = [0];
  for (let c = 1; c < containers; c++) {
    if (starts[c + 1]! - starts[firsts.at(-1)!]! > pieceBytesMax) firsts.push(c);
  }
  return [...firsts, containers];
}

function readContainers(reader: ByteReader): PayloadTable {
  const pieces = reader.count();
  const firsts = new Uint32Array(pieces + 1);
  const checksums = new Uint32Array(pieces);
  const keys: number[] = [];
  const cardinalities: number[] = [];
  const isRun: number[] = [];
  const sizes: number[] = [];
  for (let p = 0; p < pieces; p++) {
    const count = reader.count();
    checksums[p] = reader.u32();
    for (let i = 0; i < count; i++) {
      const head = reader.varuint();
      const runs = head % 2 === 1;
      const cardinality = reader.varuint() + 1;
      keys.push((keys.at(-1) ?? -1) + 1 + Math.floor(head / 2));
      cardinalities.push(cardinality);
      isRun.push(runs ? 1 : 0);
      sizes.push(containerBytesOf(cardinality, runs ? reader.varuint() : undefined));
    }
    firsts[p + 1] = keys.length;
  }
  reader.end();
  if (keys.length === 0 || keys.at(-1)! > 65535) reader.refuse('has keys of no bitmap');
  return { header: headerOf({ keys, cardinalities, isRun, sizes }), firsts, checksums };
}

function headerOf(list: {
  readonly keys: readonly number[];
  readonly cardinalities: readonly number[];
  readonly isRun: readonly number[];
  readonly sizes: readonly number[];
}): PortableHeader {
  const containers = list.keys.length;
  const starts = new Uint32Array(containers + 1);
  starts[0] = headerLayout(containers, list.isRun.includes(1)).start;
  list.sizes.forEach((size, c) => {
    starts[c + 1] = starts[c]! + size;
  });
  return {
    containers,
    cardinality: list.cardinalities.reduce((sum, count) => sum + count, 0),
    keys: Uint16Array.from(list.keys),
    starts,
    cardinalities: Uint32Array.from(list.cardinalities),
    isRun: Uint8Array.from(list.isRun),
  };
}
