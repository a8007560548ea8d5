// Sets of plain rows are the same whether their ids are kept as they come or interned, and which of both
// it is follows the rows.
import { expect, it } from 'vitest';
import type { IdLists } from '../../../engine/batch/id-lists.ts';
import { LateLists } from '../../../engine/batch/late-lists.ts';
import { GatheredIds } from '../../../engine/root/gathered-ids.ts';

const blockRows = 65_536;

/** Row i is id(i) of group i % groups. */
function gathered(late: boolean, rows: number, id: (row: number) => bigint): GatheredIds {
  const all = new GatheredIds('integer', late);
  for (let from = 0; from < rows; from += blockRows) {
    const length = Math.min(blockRows, rows - from);
    const values = BigInt64Array.from({ length }, (_, i) => id(from + i));
    all.add(
      { kind: 'wide', values },
      Uint32Array.from({ length }, (_, i) => (from + i) % 3),
    );
  }
  return all;
}

function setsOf({ keys, offsets, ordinals }: IdLists) {
  return [0, 1, 2].map((row) => {
    const own = ordinals.subarray(offsets[row], offsets[row + 1]);
    return Array.from(own, (ordinal) => keys.values[ordinal] as bigint).toSorted((a, b) =>
      a < b ? -1 : Number(a > b),
    );
  });
}

const few = (row: number) => BigInt(row % 1000) - 500n;
const many = (row: number) => BigInt(row) * 0x1_0000_0001n;
const lateFew = (row: number) => (row < 150_000 ? many(row) : 7n);

it.each([
  ['few rows', 5000, few, true],
  ['rows whose ids differ', 300_000, many, true],
  ['rows whose ids repeat', 200_000, few, false],
  ['rows whose ids repeat later on', 600_000, lateFew, false],
])('%s', (_, rows, id, isLate) => {
  const lists = gathered(true, rows, id).finish(3);
  expect(lists instanceof LateLists).toBe(isLate);
  const interned = gathered(false, rows, id).finish(3);
  expect(interned).not.toBeInstanceOf(LateLists);
  expect(setsOf(lists)).toEqual(setsOf(interned));
});

it('holds no more than the distinct ids need, once they repeat', () => {
  const bytes = (rows: number) => gathered(true, rows, few).bytes;
  expect(bytes(1_200_000)).toBeLessThan(2 * bytes(150_000));
});

it('takes numbers of 32 bits with their sign, and texts', () => {
  const numbers = new GatheredIds('integer', true);
  numbers.add({ kind: 'number', values: Int32Array.of(-1, 5) }, Uint32Array.of(0, 0));
  expect([...numbers.finish(1).keys.values]).toEqual([2n ** 64n - 1n, 5n]);
  const texts = new GatheredIds('string', true);
  texts.add({ kind: 'string', values: ['a', 'b', 'a'] }, Uint32Array.of(0, 1, 0));
  expect(setsOf({ ...texts.finish(3) }).map((set) => set.length)).toEqual([1, 1, 0]);
});
