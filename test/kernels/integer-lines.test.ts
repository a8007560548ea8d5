// Digits against String(): what is printed at once, and what stands around each number.

import { expect, test } from 'vitest';
import { integerLines } from '../../kernels/integer-lines.ts';
import { someKeys } from './naive-kernels.ts';

function printed(values: BigUint64Array, isSigned: boolean, [before, after]: [string, string]) {
  const halves = new Uint32Array(values.buffer);
  const source = {
    count: values.length,
    isSigned,
    halves: (start: number, out: Uint32Array) =>
      out.set(halves.subarray(2 * start, 2 * start + out.length)),
  };
  const affixes = { before: Buffer.from(before), after: Buffer.from(after) };
  return Buffer.concat([...integerLines(source, affixes)]).toString('latin1');
}

const affixes: [string, string][] = [
  ['', '\n'],
  ['{"a":', '}\n'],
  ['before it', ' and long behind it\r\n'],
];

test.each(affixes)('numbers of every length between %j and %j', (before, after) => {
  const random = [...someKeys(70_000, 3)].map((key, i) => key >> BigInt(i % 64));
  const powers = Array.from({ length: 20 }, (_, i) => 10n ** BigInt(i));
  const edges = powers.flatMap((power) => [power - 1n, power, power + 1n]);
  const values = BigUint64Array.from([...edges, 2n ** 63n, 2n ** 64n - 1n, ...random]);
  for (const isSigned of [false, true]) {
    const numbers = [...values].map((value) => (isSigned ? BigInt.asIntN(64, value) : value));
    const expected = numbers.map((value) => `${before}${value}${after}`).join('');
    expect(printed(values, isSigned, [before, after]) === expected).toBe(true);
  }
});

test('nothing is nothing', () => {
  expect(printed(new BigUint64Array(0), false, ['', '\n'])).toBe('');
});
