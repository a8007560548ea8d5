// The directory of a dictionary segment as data, and its bytes. SPEC.md, "Dictionary segments".
// Places are relative to the segment's first byte.

import { ByteReader, isNot } from '../base/byte-reader.ts';
import { ByteWriter } from '../base/byte-writer.ts';
import type { TableShape } from './hash-table.ts';
import { domainNumbers, domainOf, type KeyDomain } from './key-list.ts';

export interface SegmentDirectory {
  readonly domain: KeyDomain;
  readonly count: number;
  readonly runs: readonly KeyRun[];
  readonly table: TableShape & { readonly at: number };
}

/** One record batch of keys: its body is one extent. */
export interface KeyRun {
  readonly keys: number;
  readonly at: number;
  readonly bytes: number;
  readonly checksum: number;
  /** Lengths of its buffers, each starting at a multiple of 8 from the extent's start. */
  readonly buffers: readonly number[];
}

export function encodeSegmentDirectory(directory: SegmentDirectory): Uint8Array {
  const writer = new ByteWriter();
  writer.varuint(domainNumbers[directory.domain]);
  writer.varuint(directory.count);
  writer.list(directory.runs, (run) => {
    writer.varuint(run.keys);
    writer.varuint(run.at);
    writer.varuint(run.bytes);
    writer.u32(run.checksum);
    writer.list(run.buffers, (length) => writer.varuint(length));
  });
  writer.varuint(directory.table.at);
  writer.varuint(directory.table.pages);
  writer.varuint(directory.table.slots);
  writer.varuint(directory.table.slotBytes);
  writer.varuint(directory.table.pageBytes);
  return writer.finish();
}

/** Throws INCORRECT_DATA for bytes that aren't a directory. */
export function decodeSegmentDirectory(bytes: Uint8Array): SegmentDirectory {
  const reader = new ByteReader(bytes, isNot('a directory of a dictionary segment'));
  const number = reader.varuint();
  const domain = domainOf(number) ?? reader.refuse(`has key domain ${number}`);
  const count = reader.varuint();
  const runs = reader.list(() => decodeRun(reader));
  const table = {
    at: reader.varuint(),
    pages: reader.varuint(),
    slots: reader.varuint(),
    slotBytes: reader.varuint(),
    pageBytes: reader.varuint(),
  };
  reader.end();
  return { domain, count, runs, table };
}

function decodeRun(reader: ByteReader): KeyRun {
  return {
    keys: reader.varuint(),
    at: reader.varuint(),
    bytes: reader.varuint(),
    checksum: reader.u32(),
    buffers: reader.list(() => reader.varuint()),
  };
}
