// Sorting in runs: the same ids, ascending, however many runs there are.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import { sortedIds } from '../../../engine/export/sorted-ids.ts';
import type { KeyList } from '../../../storage-format/key-list.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-sorted-'));
afterAll(() => rmSync(folder, { recursive: true }));

const { signal } = new AbortController();
const files = { spool: { folder, bytesMax: 2 ** 40 } };

async function sorted(chunks: readonly BigUint64Array[], runIds: number): Promise<bigint[]> {
  async function* lists(): AsyncGenerator<KeyList> {
    for (const values of chunks) yield { domain: 'integer', values: values.slice() };
  }
  const out: bigint[] = [];
  for await (const { values } of sortedIds(
    lists(),
    { clock: systemClock, files, signal },
    runIds,
  )) {
    for (const value of values) out.push(value as bigint);
  }
  return out;
}

/** Spread over all 64 bits; `n` below 2^20. */
const idOf = (n: number) => (BigInt(n + 1) * 0x9e37_79b9_7f4a_7c15n) & (2n ** 64n - 1n);

describe('sorted ids', () => {
  it.each([
    [0, 1, 10],
    [1, 1, 10],
    [10, 3, 100],
    [1000, 7, 1],
    [1000, 100, 64],
    [200_000, 999, 70_000],
  ])('%i ids in chunks of %i, runs of %i', async (count, chunk, runIds) => {
    const ids = Array.from({ length: count }, (_, n) => idOf(n));
    const chunks: BigUint64Array[] = [];
    for (let at = 0; at < count; at += chunk) {
      chunks.push(BigUint64Array.from(ids.slice(at, at + chunk)));
    }
    const expected = ids.toSorted((a, b) => (a < b ? -1 : 1));
    expect(await sorted(chunks, runIds)).toEqual(expected);
  });
});
