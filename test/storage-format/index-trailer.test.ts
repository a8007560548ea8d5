import { describe, expect, it } from 'vitest';
import { crc32c } from '../../storage-format/crc32c.ts';
import { indexKinds, sealIndex, unsealIndex } from '../../storage-format/index-trailer.ts';

const copies = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);
const directory = Uint8Array.of(9, 8, 7);
const sealed = sealIndex(indexKinds.stripePart, copies, directory);

/** The index with two bytes changed and the checksum made right again. */
function forged(at: number, value: number): Uint8Array {
  const bytes = sealed.slice();
  const view = new DataView(bytes.buffer);
  view.setUint16(bytes.length - 32 + at, value, true);
  view.setUint32(bytes.length - 12, crc32c(bytes.subarray(0, bytes.length - 12)), true);
  return bytes;
}

describe('an index', () => {
  it('comes out of any range that ends with its trailer', () => {
    for (const before of [0, 1, 100]) {
      const opened = unsealIndex(Buffer.concat([Buffer.alloc(before, 5), sealed]), 1, 'k');
      expect([...opened.bytes]).toEqual([...sealed]);
      expect([...opened.directory]).toEqual([...directory]);
    }
  });

  it('is refused when damaged anywhere, cut off, or of another kind', () => {
    for (let at = 0; at < sealed.length; at++) {
      const damaged = sealed.slice();
      damaged[at]! ^= 16;
      expect(() => unsealIndex(damaged, 1, 'k')).toThrow(/^corrupt part k: index/);
    }
    expect(() => unsealIndex(sealed.subarray(1), 1, 'k')).toThrow(/^corrupt part k: index/);
    expect(() => unsealIndex(sealed.subarray(0, 20), 1, 'k')).toThrow(/no trailer/);
    expect(() => unsealIndex(sealed, 2, 'k')).toThrow(/kind 1, expected 2/);
  });

  it('of a newer format asks for a newer reader, one of a newer writer does not', () => {
    expect(() => unsealIndex(forged(10, 2), 1, 'k')).toThrow(
      expect.objectContaining({ errorName: 'UNKNOWN_FORMAT_VERSION' }),
    );
    expect(unsealIndex(forged(8, 7), 1, 'k').directory).toHaveLength(3);
  });

  it('of a draft of the format asks for its rows again', () => {
    expect(() => unsealIndex(forged(8, 0), 1, 'k')).toThrow(
      /^part k has format 0, a draft that is no longer read: load its rows again/,
    );
  });
});
