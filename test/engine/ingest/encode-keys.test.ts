import { describe, expect, it } from 'vitest';
import type { DictionaryId } from '../../../catalog/schema.ts';
import { checkRoom } from '../../../engine/ingest/encode-keys.ts';

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
  const fresh = { group: 0, count: 1 };

  it('are there up to the last one of a group', () => {
    expect(() => checkRoom(dictionary, { ...fresh, base: 0xffff_ffff })).not.toThrow();
  });

  it('are refused beyond it', () => {
    expect(() => checkRoom(dictionary, { ...fresh, base: 0x1_0000_0000 })).toThrow(
      /Group 0 of dictionary 'users' has given out all 2\^32 codes/,
    );
  });
});
