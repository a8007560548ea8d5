// Checks a whole part that was read in full: every byte. The index first (it says where the extents
// are), then each extent, then the tables of payloads and what they say of the pieces, then the part's
// checksum for what lies between all these, the envelope.

import { crc32c } from './crc32c.ts';
import { corrupt, indexKinds, unsealIndex } from './index-trailer.ts';
import {
  decodeDirectory,
  type Extent,
  type PartBatch,
  type SliceExtents,
} from './part-directory.ts';
import { decodeTable, pieceRange } from './payload-table.ts';
import type { PartDescription } from './stripe-writer.ts';

/**
 * Throws CORRUPTED_DATA `corrupt part <key>: ` and `extent ...`, `index` or `envelope`. `bytes`: the
 * whole part.
 */
export function verifyPart(bytes: Uint8Array, part: PartDescription, key: string): void {
  if (bytes.length !== part.bytes) corrupt(key, `envelope: ${bytes.length} of ${part.bytes} bytes`);
  const end = part.index.end - part.offset;
  const { directory } = unsealIndex(bytes.subarray(0, end), indexKinds.stripePart, key);
  const { batches, tablesAt } = decodeDirectory(directory);
  batches.forEach((batch, i) => {
    for (const { name, extent } of extentsOf(batch)) {
      const start = batch.bodyAt + extent.at;
      if (crc32c(bytes.subarray(start, start + extent.bytes)) !== extent.checksum) {
        corrupt(key, `extent ${name} of batch ${i}`);
      }
    }
    for (const column of batch.columns) {
      if (column.kind !== 'slices') continue;
      try {
        checkTables(bytes, { column, bodyAt: batch.bodyAt, tablesAt });
      } catch (error) {
        corrupt(key, `extent table of batch ${i}`, error);
      }
    }
  });
  if (crc32c(bytes) !== part.checksum) corrupt(key, 'envelope');
}

/** Each table is whole, of its payload, and right about every piece of it. */
function checkTables(
  bytes: Uint8Array,
  of: { readonly column: SliceExtents; readonly bodyAt: number; readonly tablesAt: number },
): void {
  let at = of.tablesAt + of.column.tablesAt;
  let start = of.bodyAt + of.column.largeAt;
  for (const large of of.column.larges) {
    const payload = bytes.subarray(start, start + large.bytes);
    const tableBytes = bytes.subarray(at, at + large.tableBytes);
    at += large.tableBytes;
    start += large.bytes;
    if (large.tableBytes === 0) continue;
    const table = decodeTable(tableBytes, large);
    table.checksums.forEach((checksum, piece) => {
      const found = crc32c(payload.subarray(...pieceRange(table, piece)));
      if (found !== checksum) throw new Error(`piece ${piece} has another checksum`);
    });
  }
}

function extentsOf(batch: PartBatch): { name: string; extent: Extent }[] {
  return batch.columns.flatMap((column, c) => {
    const named = (what: string, extent: Extent) => ({ name: `${what} of column ${c}`, extent });
    if (column.kind !== 'slices') return [named(column.kind, column.extent)];
    const found = [
      named('small places', column.smallPlaces),
      named('large places', column.largePlaces),
      named('counts', column.counts),
      named('bounds', column.bounds),
    ];
    let at = column.smallAt;
    for (const run of column.smallRuns) {
      found.push(named('small', { at, bytes: 4 * run.codes, checksum: run.checksum }));
      at += 4 * run.codes;
    }
    at = column.largeAt;
    for (const { bytes, checksum } of column.larges) {
      found.push(named('large', { at, bytes, checksum }));
      at += bytes;
    }
    return found;
  });
}
