// Digits against String(), at the edges where their number and the arithmetic change.

import { describe, expect, it } from 'vitest';
import { affixesOf, idLines } from '../../../engine/export/id-lines.ts';
import type { Column } from '../../../storage-format/column.ts';

const lineEnd = affixesOf(Buffer.from('0\n'))!;

function text(column: Column): string {
  return Buffer.concat([...(idLines(column, lineEnd) ?? [])]).toString('latin1');
}

const powers = Array.from({ length: 20 }, (_, i) => 10n ** BigInt(i));
const edges = [0n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n];
const wide = [...edges, ...powers.flatMap((power) => [power - 1n, power, power + 1n])].filter(
  (id) => id < 2n ** 64n,
);

describe('ids as lines', () => {
  it('64 bits', () => {
    const expected = `${wide.join('\n')}\n`;
    expect(text({ kind: 'wide', values: BigUint64Array.from(wide) })).toBe(expected);
    const signed = BigInt64Array.from(wide.map((id) => BigInt.asIntN(64, id)));
    expect(text({ kind: 'wide', values: signed })).toBe(`${[...signed].join('\n')}\n`);
  });

  it('64 random bits', () => {
    let id = 1n;
    const ids = Array.from({ length: 20_000 }, () => {
      id = (id * 0x9e37_79b9_7f4a_7c15n + 0x1234_5678_9abcn) & (2n ** 64n - 1n);
      return id;
    });
    expect(text({ kind: 'wide', values: BigUint64Array.from(ids) })).toBe(`${ids.join('\n')}\n`);
    const signed = BigInt64Array.from(ids, (one) => BigInt.asIntN(64, one));
    expect(text({ kind: 'wide', values: signed })).toBe(`${signed.join('\n')}\n`);
  });

  it('fewer bits, negative ones too', () => {
    const values = Int32Array.of(0, -1, 9, -10, 2 ** 31 - 1, -(2 ** 31));
    expect(text({ kind: 'number', values })).toBe(`${[...values].join('\n')}\n`);
    const many = Uint32Array.from({ length: 70_000 }, (_, i) => i * 61_351);
    expect(text({ kind: 'number', values: many })).toBe(`${[...many].join('\n')}\n`);
  });

  it('what stands around them is that of the format', () => {
    const affixes = affixesOf(Buffer.from('{"user 0":"0"}\n'))!;
    const column: Column = { kind: 'wide', values: BigUint64Array.of(7n, 12_345_678_901n) };
    expect(Buffer.concat([...(idLines(column, affixes) ?? [])]).toString()).toBe(
      '{"user 0":"7"}\n{"user 0":"12345678901"}\n',
    );
    expect(affixesOf(Buffer.from('none\n'))).toBeUndefined();
    expect(affixesOf(Buffer.from(`${'name'.repeat(300)}=0\n`))).toBeUndefined();
  });

  it('are not made of anything else', () => {
    expect(idLines({ kind: 'string', values: ['1'] }, lineEnd)).toBeUndefined();
    expect(idLines({ kind: 'number', values: Float64Array.of(1) }, lineEnd)).toBeUndefined();
    const nulls = Uint8Array.of(1);
    expect(idLines({ kind: 'number', values: Uint8Array.of(1), nulls }, lineEnd)).toBeUndefined();
  });
});
