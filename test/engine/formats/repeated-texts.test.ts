// Texts out of the cache are the bytes' own texts, whether they come once or often.
import { expect, it } from 'vitest';
import { RepeatedTexts } from '../../../engine/formats/repeated-texts.ts';

function check(values: readonly string[]): void {
  const texts = new RepeatedTexts();
  for (const value of values) {
    const bytes = Buffer.from(`>${value}<`, 'latin1');
    expect(texts.text(bytes, 1, bytes.length - 1)).toBe(value);
  }
}

it('tells texts apart that differ in a byte or in length alone', () => {
  const near = ['', 'a', 'a\0', 'a\0\0', 'ab', 'ba', 'abcd', 'abcde', 'abcd\0', '\xff', '\xff\xff'];
  const long = ['abcdefghijkl', 'abcdefghijkm', 'abcdefghijklm', 'x'.repeat(40)];
  const values = [...near, ...long];
  check(Array.from({ length: 500 }, (_, i) => values[(i * 7) % values.length] ?? ''));
});

it('gives the same text for the same bytes', () => {
  const texts = new RepeatedTexts();
  const bytes = Buffer.from('red,blue,red', 'latin1');
  expect(texts.text(bytes, 0, 3)).toBe('red');
  expect(texts.text(bytes, 9, 12)).toBe('red');
});

it('holds when hardly any text comes twice, and when they repeat again', () => {
  const once = Array.from({ length: 20_000 }, (_, i) => `n${(i * 2654435761) >>> 0}`);
  const often = Array.from({ length: 80_000 }, (_, i) => `k${i % 50}`);
  check([...once, ...often]);
});
