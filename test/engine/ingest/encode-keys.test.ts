import { describe, expect, it } from 'vitest';
import type { DictionaryId } from '../../../catalog/schema.ts';
import { encodedKeys } from '../../../engine/ingest/encode-keys.ts';

const dictionary = {
  id: 1 as DictionaryId,
  name: 'users',
  domain: 'integer',
  groups: 2,
  groupBy: { rule: 'id' },
  hashFunction: 1,
  valueEncoding: 1,
} as const;

describe('new codes', () => {
  const found = {
    groups: Uint16Array.of(0, 1),
    codes: Uint32Array.of(0, 0),
    known: Uint8Array.of(0, 0),
  };
  const codes = Uint32Array.of(0xffff_ffff, 20);
  const fresh = (base: number) => [
    {
      group: 0,
      base,
      count: 1,
      keys: { domain: 'integer', values: BigUint64Array.of(5n) },
      pages: undefined,
    } as const,
  ];

  it('are there up to the last one of a group', () => {
    const encoded = encodedKeys(dictionary, found, { codes, fresh: fresh(0xffff_ffff) });
    expect([...encoded.codes]).toEqual([0xffff_ffff, 20]);
    expect(encoded.groupCount).toBe(2);
  });

  it('are refused beyond it', () => {
    expect(() => encodedKeys(dictionary, found, { codes, fresh: fresh(0x1_0000_0000) })).toThrow(
      /Group 0 of dictionary 'users' has given out all 2\^32 codes/,
    );
  });
});
