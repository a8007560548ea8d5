// Our own policy on the CRC-32 that comes with a read: verified here, not by the SDK.
//
// Of a whole object it must be right; if it is not, the object is read once more by a new
// connection. With a range some stores send the whole object's, or a wrong one: then two readings
// that agree byte for byte are believed over it, and from then on this store's checksums of ranges
// are not asked (what is read is checked again by the format's own checksums).

import { crc32 } from 'node:zlib';

export class RangeChecksums {
  #believed = true;

  get believed(): boolean {
    return this.#believed;
  }

  /** Two readings agreed against the store's checksum. */
  distrust(): void {
    this.#believed = false;
  }
}

/** `told` is base64 of the big-endian CRC-32, as S3 writes it. */
export function hasChecksum(bytes: Uint8Array, told: string): boolean {
  const own = Buffer.alloc(4);
  own.writeUInt32BE(crc32(bytes));
  return own.toString('base64') === told;
}
