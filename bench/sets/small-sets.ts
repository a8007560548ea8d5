// Millions of sets of 1 to 50 ids, grouped by id: the union of all of them, their counts, a filter on
// those. ClickHouse has dense 32-bit ids, which suit it best.

import { randomFrom } from './samples.ts';
import { compare, load, type SideBySide } from './side-by-side.ts';

const rowsPerChunk = 4096;

export async function smallSets(sides: SideBySide, scale: number): Promise<void> {
  const sets = 4_000_000 * scale;
  const people = 10_000_000 * scale;
  for (const [table, side, width] of [
    ['small', { muster: sides.muster }, 8],
    ['small_cold', { muster: sides.muster }, 8],
    ['small', { oracle: sides.oracle }, 4],
  ] as const) {
    const structure = `tag UInt32, users AggregateFunction(groupBitmap, UInt${8 * width})`;
    const chunks = [...smallRows(sets, people, width)];
    await load({ table, structure, chunks }, side);
  }
  const union = (table: string) => `SELECT groupBitmapMerge(users) FROM ${table}`;
  await compare(
    {
      name: `union of ${sets} sets of 1 to 50 ids`,
      clickHouse: union('small'),
      muster: union('small'),
      cold: union('small_cold'),
      atLeast: 5,
    },
    sides,
  );
  const many = (table: string) =>
    `SELECT count() FROM ${table} WHERE bitmapCardinality(users) > 10`;
  await compare(
    {
      name: `those of ${sets} sets with more than 10 ids`,
      clickHouse: many('small'),
      muster: many('small'),
    },
    sides,
  );
}

/** States of up to 32 ids are lists; a list of up to 50 is ClickHouse's as well, when it reads. */
export function* smallRows(sets: number, people: number, width: 4 | 8): Iterable<Uint8Array> {
  const random = randomFrom(7);
  let chunk = Buffer.alloc(rowsPerChunk * (6 + 32 * width));
  let at = 0;
  for (let tag = 0; tag < sets; tag++) {
    const members = 1 + Math.floor(random() * 50);
    const ids = new Set<number>();
    while (ids.size < Math.min(32, members)) ids.add(Math.floor(random() * people));
    at = chunk.writeUInt32LE(tag, at);
    at = chunk.writeUInt8(0, at);
    at = chunk.writeUInt8(ids.size, at);
    for (const id of ids) {
      if (width === 8) at = chunk.writeUInt32LE(Math.imul(id, 0x9e3779b1) >>> 0, at);
      at = chunk.writeUInt32LE(id, at);
    }
    if ((tag + 1) % rowsPerChunk === 0 || tag + 1 === sets) {
      yield chunk.subarray(0, at);
      chunk = Buffer.alloc(rowsPerChunk * (6 + 32 * width));
      at = 0;
    }
  }
}
