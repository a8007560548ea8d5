import { expect, test } from 'vitest';
import type { Batch, Fragment } from '../../../engine/batch/batch.ts';
import { dispatch } from '../../../engine/batch/dispatch.ts';
import { InProcessInvoker } from '../../../engine/batch/in-process-invoker.ts';
import { slicesOf } from '../../../engine/batch/slices.ts';
import {
  createWorkerEnvironment,
  type RowFilter,
} from '../../../engine/worker/worker-environment.ts';
import type { Column } from '../../../storage-format/column.ts';
import { batchOver, makeWorld, scalarId } from './world.ts';

const columns = [{ id: scalarId, type: 'UInt32' }];
const evenRows: RowFilter = (_, [column]) =>
  Uint32Array.from([0, 1, 2].filter((row) => isEven(column, row)));

function isEven(column: Column | undefined, row: number): boolean {
  return column?.kind === 'number' && row < column.values.length && column.values[row]! % 2 === 0;
}

async function rowsOf(fragment: Partial<Fragment>, filterRows?: RowFilter) {
  const stripe = [new Set([1n]), new Set<bigint>(), new Set([2n])];
  const world = await makeWorld({
    domain: 'integer',
    groups: 1,
    commits: [[1n, 2n]],
    sources: [[stripe, stripe]],
  });
  const batch: Batch = {
    ...batchOver(world, [], [{ ask: 'rows', fragment: 0 }]),
    fragments: [{ source: 0, columns, rowsMax: 6, ...fragment }],
  };
  const options = filterRows === undefined ? {} : { filterRows };
  const invoker = new InProcessInvoker(createWorkerEnvironment(world.store, options));
  return (await dispatch(batch, slicesOf(batch, 3), invoker))[0];
}

test('rows of all stripes, numbered, from one slice alone', async () => {
  expect(await rowsOf({})).toEqual({
    ask: 'rows',
    rows: 6,
    rowNumbers: Float64Array.of(0, 1, 2, 3, 4, 5),
    columns: [{ kind: 'number', values: Uint32Array.of(0, 1, 2, 0, 1, 2) }],
  });
});

test('a filter keeps row numbers; without one the fragment is refused', async () => {
  expect(await rowsOf({ filter: 'even' }, evenRows)).toEqual({
    ask: 'rows',
    rows: 4,
    rowNumbers: Float64Array.of(0, 2, 3, 5),
    columns: [{ kind: 'number', values: Uint32Array.of(0, 2, 0, 2) }],
  });
  await expect(rowsOf({ filter: 'even' })).rejects.toMatchObject({ code: 48 });
});

test('too many rows are an error that names the setting', async () => {
  await expect(rowsOf({ rowsMax: 5 })).rejects.toMatchObject({
    code: 158,
    message: expect.stringContaining('max_rows_to_read'),
  });
});
