import { expect, test } from 'vitest';
import { harmlessChunks, harmlessText } from '../../../functions/cli/harmless-text.ts';

const evil = 'a\u001b]0;title\u0007b\u009b2J\r\u007fü\tc\u001b[31m\n';

async function through(text: string, size: number): Promise<string> {
  const bytes = Buffer.from(text, 'utf8');
  const cut = async function* () {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  };
  const out: Uint8Array[] = [];
  for await (const chunk of harmlessChunks(cut())) out.push(chunk);
  return Buffer.concat(out).toString('utf8');
}

test.each([1, 2, 3, 1000])('nothing in an answer commands a terminal, cut at %d', async (size) => {
  expect(await through(evil, size)).toBe('a␛]0;title␇b\ufffd2J␍␡ü\tc␛[31m\n');
  expect(await through('größe Â\n', size)).toBe('größe Â\n');
});

test('in what is said our own colours stay', () => {
  expect(harmlessText(evil)).toBe('a␛]0;title␇b\ufffd2J␍␡ü\tc\u001b[31m\n');
});
