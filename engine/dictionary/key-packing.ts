// Keys as the kernels take them and as segments store them. Strings that are looked up and then numbered
// are packed once: joining a million takes longer than finding them.

import { assert } from '../../base/assert.ts';
import type { KeyList } from '../../storage-format/key-list.ts';
import { type PackedKeys, packStrings, selectPacked } from '../../storage-format/packed-keys.ts';
import type { SegmentKeys } from '../../storage-format/segment-writer.ts';

/** Of strings that are asked for and then numbered: they are packed once. */
const packedBefore = new WeakMap<KeyList, PackedKeys>();

export function packedKeys(keys: KeyList): BigUint64Array | PackedKeys {
  if (keys.domain === 'integer') return keys.values;
  const packed = packedBefore.get(keys) ?? packStrings(keys);
  packedBefore.set(keys, packed);
  return packed;
}

/** Of a table's keys, integers or positions among all. */
export function segmentKeys(
  all: KeyList,
  packed: BigUint64Array | PackedKeys,
  keys: BigUint64Array | Uint32Array,
): SegmentKeys {
  if (keys instanceof BigUint64Array) return { domain: 'integer', values: keys };
  assert(all.domain !== 'integer' && !(packed instanceof BigUint64Array), 'positions of strings');
  return { domain: all.domain, packed: selectPacked(packed, keys) };
}
