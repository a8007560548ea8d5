// Checks a whole part that was read in full: every byte. The index first (it says where the extents
// are), then each extent, then the part's checksum for what lies between them, the envelope.

import { crc32c } from './crc32c.ts';
import { corrupt, indexKinds, unsealIndex } from './index-trailer.ts';
import { decodeDirectory, type Extent, type PartBatch } from './part-directory.ts';
import type { PartDescription } from './stripe-writer.ts';

/**
 * Throws CORRUPTED_DATA `corrupt part <key>: ` and `extent ...`, `index` or `envelope`. `bytes`: the
 * whole part.
 */
export function verifyPart(bytes: Uint8Array, part: PartDescription, key: string): void {
  if (bytes.length !== part.bytes) corrupt(key, `envelope: ${bytes.length} of ${part.bytes} bytes`);
  const end = part.index.end - part.offset;
  const { directory } = unsealIndex(bytes.subarray(0, end), indexKinds.stripePart, key);
  const { batches } = decodeDirectory(directory);
  batches.forEach((batch, i) => {
    for (const { name, extent } of extentsOf(batch)) {
      const start = batch.bodyAt + extent.at;
      if (crc32c(bytes.subarray(start, start + extent.bytes)) !== extent.checksum) {
        corrupt(key, `extent ${name} of batch ${i}`);
      }
    }
  });
  if (crc32c(bytes) !== part.checksum) corrupt(key, 'envelope');
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
    for (const piece of column.larges.flatMap((large) => large.pieces)) {
      found.push(named('large', { at, bytes: piece.bytes, checksum: piece.checksum }));
      at += piece.bytes;
    }
    return found;
  });
}
