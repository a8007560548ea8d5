import { expect, test } from 'vitest';
import {
  bytesText,
  countText,
  durationText,
  remainingText,
} from '../../../functions/cli/quantities.ts';

test.each([
  [0, '0 rows'],
  [1, '1 row'],
  [999, '999 rows'],
  [1000, '1,000 rows'],
  [1_234_567, '1,234,567 rows'],
])('%d', (count, text) => expect(countText(count, 'row')).toBe(text));

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [9_960_000, '10 MB'],
  [999_600, '1.0 MB'],
  [5e15, '5000 TB'],
])('%d bytes', (bytes, text) => expect(bytesText(bytes)).toBe(text));

test.each([
  [0.04, '0.0 ms'],
  [9.96, '10 ms'],
  [999.6, '1.0 s'],
  [59_990, '1 min 0 s'],
  [125_000, '2 min 5 s'],
])('%d ms', (ms, text) => expect(durationText(ms)).toBe(text));

test.each([
  [0, '1 s'],
  [1001, '2 s'],
  [60_000, '1 min 0 s'],
])('%d ms are left', (ms, text) => expect(remainingText(ms)).toBe(text));
