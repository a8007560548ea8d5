import { expect, it } from 'vitest';
import { blend, writingOn } from '../../console/color-blend.ts';

it('blends, and writes so that it can be read', () => {
  expect(blend('#000000', '#ff8000', 0.5)).toEqual([127.5, 64, 0]);
  expect(writingOn(blend('#e9f0fd', '#1b4bb4', 0))).toBe('#141a26');
  expect(writingOn(blend('#e9f0fd', '#1b4bb4', 1))).toBe('#ffffff');
  expect(writingOn(blend('#1c2a45', '#8fb4ff', 1))).toBe('#141a26');
});
