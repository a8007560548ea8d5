import { expect, it } from 'vitest';
import { cutToWidth, textWidth } from '../../../engine/formats/text-width.ts';

it.each([
  ['', 0],
  ['abc', 3],
  ['é', 1],
  ['e\u0301', 1],
  ['中文', 4],
  ['ключ', 4],
  ['ｱ', 1],
  ['Ａ', 2],
  ['한', 2],
  ['\u1112\u1161\u11ab', 4],
  ['😀', 1],
  ['🧡', 2],
  ['a\u0000b\u001b', 2],
  ['\u200bx', 1],
  ['soft\u00adhyphen', 10],
  ['⌚', 2],
  ['𠀀', 2],
])('%j is %i wide', (text, width) => {
  expect(textWidth(text)).toBe(width);
});

it('tabs go on to the next multiple of eight of the line', () => {
  expect(textWidth('\t')).toBe(8);
  expect(textWidth('abc\tx')).toBe(9);
  expect(textWidth('\tx', 5)).toBe(4);
  expect(textWidth('abc\t', 5)).toBe(11);
});

it('cuts before the character that would be too much', () => {
  expect(cutToWidth('abcdef', 3)).toBe('abc');
  expect(cutToWidth('中文字', 3)).toBe('中');
  expect(cutToWidth('e\u0301e\u0301', 1)).toBe('e\u0301');
  expect(cutToWidth('ab', 5)).toBe('ab');
  expect(cutToWidth('𠀀𠀀', 2)).toBe('𠀀');
});
