// The building blocks of ingest, one at a time and without any I/O: states of sparse ids decoded and
// encoded, and ids interned, beside JavaScript's own Map over the same ids in the same run.
//
// Usage: node dist/bench/building-blocks-bench.js [--ids 1000000] [--rounds 7]

import { parseArgs } from 'node:util';
import { IntegerInternTable } from '../engine/dictionary/intern-table.ts';
import { decodeState, encodeState } from '../storage-format/clickhouse-state.ts';
import { crc32c } from '../storage-format/crc32c.ts';
import { generatePeople } from '../functions/demo/people/people.ts';
import { median } from './median.ts';

const { values } = parseArgs({
  options: {
    ids: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '7' },
  },
});

run(Number(values.ids), Number(values.rounds));

function run(count: number, rounds: number): void {
  const { ids } = generatePeople({ people: count, seed: 1 });
  const state = encodeState(ids, 'UInt64');
  const ordinals = new Uint32Array(count);
  const rows: readonly (readonly [string, () => void])[] = [
    ['state of sparse ids, decoded', () => void decodeState(state, 0, 'UInt64')],
    ['state of sparse ids, encoded', () => void encodeState(ids, 'UInt64')],
    ['CRC32C of that state', () => void crc32c(state)],
    ['ids interned', () => new IntegerInternTable().internIntegers(ids, ordinals)],
    ['the same ids into a Map', () => fillMap(ids)],
  ];
  console.log(`${count} ids, median of ${rounds} rounds`);
  for (const [name, work] of rows) {
    const ms = median(Array.from({ length: rounds }, () => timed(work)));
    console.log(`${name}\t${ms.toFixed(1)} ms\t${((1e6 * ms) / count).toFixed(0)} ns an id`);
  }
}

function fillMap(ids: BigUint64Array): void {
  const map = new Map<bigint, number>();
  for (const id of ids) map.set(id, map.size);
}

function timed(work: () => void): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}
