// What heads and pages have in common: magic, format numbers, body, checksum (SPEC.md, "Envelope").
//
//   +-------+--------+-----------+-----------+------ ... ------+----------+
//   | magic | format | minReader | minWriter |      body       |  CRC32C  |
//   | 4     | varuint| varuint   | varuint   |                 |  u32     |
//   +-------+--------+-----------+-----------+------ ... ------+----------+

import { ByteReader, isCorrupt } from '../base/byte-reader.ts';
import { ByteWriter } from '../base/byte-writer.ts';
import { MusterError } from '../base/errors.ts';
import { crc32c } from '../storage-format/crc32c.ts';

/** What this code writes, and the newest that it reads. */
export const catalogFormat = 1;

const magics = { head: 'MSTH', page: 'MSTP' } as const;
const checksumBytes = 4;

type EnvelopeKind = keyof typeof magics;

export interface FormatNumbers {
  readonly format: number;
  /** The least format that a reader must know; the least that one must know to write after it. */
  readonly minReader: number;
  readonly minWriter: number;
}

export const currentFormat: FormatNumbers = {
  format: catalogFormat,
  minReader: catalogFormat,
  minWriter: catalogFormat,
};

/** `encodeBody` writes what stands between the numbers and the checksum. */
export function seal(
  kind: EnvelopeKind,
  numbers: FormatNumbers,
  encodeBody: (writer: ByteWriter) => void,
): Uint8Array {
  const writer = new ByteWriter(4096);
  writer.raw(Buffer.from(magics[kind], 'latin1'));
  writer.varuint(numbers.format);
  writer.varuint(numbers.minReader);
  writer.varuint(numbers.minWriter);
  encodeBody(writer);
  writer.u32(crc32c(writer.finish()));
  return writer.finish();
}

/** The body's reader, after the checks. `what` names the object in errors. */
export function unseal(
  kind: EnvelopeKind,
  bytes: Uint8Array,
  what: string,
): { readonly numbers: FormatNumbers; readonly body: ByteReader } {
  const sumAt = Math.max(0, bytes.length - checksumBytes);
  const reader = new ByteReader(bytes.subarray(0, sumAt), isCorrupt(what));
  if (Buffer.from(reader.raw(4)).toString('latin1') !== magics[kind]) {
    throw new MusterError(
      'UNKNOWN_FORMAT_VERSION',
      `${what} is not Muster's: it has another magic`,
    );
  }
  const numbers = {
    format: reader.varuint(),
    minReader: reader.varuint(),
    minWriter: reader.varuint(),
  };
  if (numbers.minReader > catalogFormat) throw newerFormat(what, 'read', numbers.minReader);
  const promised = new ByteReader(bytes, isCorrupt(what), sumAt).u32();
  const found = crc32c(bytes.subarray(0, sumAt));
  if (promised !== found) reader.refuse(`sums to ${found}, not to ${promised}`);
  return { numbers, body: reader };
}

export function newerFormat(what: string, verb: 'read' | 'write', needed: number): MusterError {
  return new MusterError(
    'UNKNOWN_FORMAT_VERSION',
    `${what} needs catalog format ${needed} to ${verb}, this Muster knows ${catalogFormat}: upgrade`,
  );
}
