import { describe, expect, it } from 'vitest';
import {
  bytesText,
  cellText,
  countedText,
  countText,
  durationText,
} from '../../console/cell-text.ts';

describe('cells', () => {
  it('are shown as they are', () => {
    expect(cellText('18446744073709551615', 'UInt64')).toBe('18446744073709551615');
    expect(cellText(null, 'Nullable(String)')).toBe('NULL');
    expect(cellText(true, 'Bool')).toBe('true');
    expect(cellText(['a', "it's", null, ['1']], 'Array(String)')).toBe(
      "['a', 'it\\'s', NULL, ['1']]",
    );
    expect(cellText({ k: 1 }, 'Map(String, UInt8)')).toBe("{'k': 1}");
  });

  it('never hold the bytes of states', () => {
    expect(cellText('\u0000\u0001', 'AggregateFunction(groupBitmap, UInt64)')).toBe(
      'groupBitmap state',
    );
  });
});

describe('for people', () => {
  it('counts', () => {
    expect([0, 999, 1000, 1234567].map(countText)).toEqual(['0', '999', '1,000', '1,234,567']);
    expect(countText('18446744073709551615')).toBe('18,446,744,073,709,551,615');
    expect([countedText(1, 'row'), countedText(0, 'row')]).toEqual(['1 row', '0 rows']);
  });

  it('sizes', () => {
    expect([0, 999, 1000, 999_499, 999_500, 1.5e9].map(bytesText)).toEqual([
      '0 B',
      '999 B',
      '1 KB',
      '999 KB',
      '1 MB',
      '1.5 GB',
    ]);
  });

  it('times', () => {
    expect([0.0123, 1.234, 99.96, 999.4, 999.6, 59_900, 61_000].map(durationText)).toEqual([
      '12.3 µs',
      '1.23 ms',
      '100 ms',
      '999 ms',
      '1 s',
      '59.9 s',
      '1 min 1 s',
    ]);
  });
});
