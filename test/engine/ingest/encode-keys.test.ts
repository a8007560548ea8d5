import { describe, expect, it } from 'vitest';
import type { DictionaryId } from '../../../catalog/schema.ts';
import { numberNewKeys } from '../../../engine/ingest/encode-keys.ts';

const dictionary = {
  id: 1 as DictionaryId,
  name: 'users',
  domain: 'integer',
  groups: 2,
  groupBy: { rule: 'id' },
  hashFunction: 1,
  valueEncoding: 1,
} as const;

describe('numbering of new ids', () => {
  it('keeps known codes and numbers the others densely, per group, in order of arrival', () => {
    const found = {
      groups: Uint16Array.of(0, 1, 0, 1, 0),
      codes: Uint32Array.of(7, 0, 0, 3, 0),
      known: Uint8Array.of(1, 0, 0, 1, 0),
    };
    const encoded = numberNewKeys(dictionary, found, [10, 20]);
    expect([...encoded.codes]).toEqual([7, 20, 10, 3, 11]);
    expect(encoded.fresh).toEqual([
      { group: 0, base: 10, ordinals: [2, 4] },
      { group: 1, base: 20, ordinals: [1] },
    ]);
  });

  it('says so when a group is full, and gives the last code before that', () => {
    const one = { groups: Uint16Array.of(0), codes: Uint32Array.of(0), known: Uint8Array.of(0) };
    expect([...numberNewKeys(dictionary, one, [0xffff_ffff, 0]).codes]).toEqual([0xffff_ffff]);
    expect(() => numberNewKeys(dictionary, one, [0x1_0000_0000, 0])).toThrow(
      /Group 0 of dictionary 'users' has given out all 2\^32 codes/,
    );
  });
});
