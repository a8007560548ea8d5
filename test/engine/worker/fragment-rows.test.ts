import { expect, test } from 'vitest';
import type { Batch, Fragment, RowFilter } from '../../../engine/batch/batch.ts';
import { dispatch } from '../../../engine/batch/dispatch.ts';
import { InProcessInvoker } from '../../../engine/batch/in-process-invoker.ts';
import { slicesOf } from '../../../engine/batch/slices.ts';
import type { BoundExpression } from '../../../engine/plan/bound-expression.ts';
import { createWorkerEnvironment } from '../../../engine/worker/worker-environment.ts';
import { batchOver, makeWorld, scalarId } from './world.ts';

const uint32 = { kind: 'UInt32' } as const;

/** column % 2 = 0 */
const even: RowFilter = {
  condition: call('equals', [
    call('modulo', [{ kind: 'column', type: uint32, index: 0 }, constant(2)]),
    constant(0),
  ]),
  functions: { timeZone: 'UTC', now: 0, database: 'bm', user: 'default' },
};

function call(name: string, operands: readonly BoundExpression[]): BoundExpression {
  return { kind: 'call', type: { kind: 'UInt8' }, name, arguments: operands };
}

function constant(value: number): BoundExpression {
  const column = { kind: 'number', values: Uint8Array.of(value) } as const;
  return { kind: 'constant', type: { kind: 'UInt8' }, value: column };
}

async function rowsOf(
  fragment: Partial<Fragment>,
  layout: { readonly groups?: number; readonly ranges?: number; readonly stripes?: number } = {},
) {
  const { groups = 1, ranges = 3, stripes = 2 } = layout;
  const stripe = [new Set([1n]), new Set<bigint>(), new Set([2n])];
  const world = await makeWorld({
    domain: 'integer',
    groups,
    commits: [[1n, 2n]],
    sources: [Array.from({ length: stripes }, () => stripe)],
  });
  const batch: Batch = {
    ...batchOver(world, [], [{ ask: 'rows', fragment: 0 }]),
    fragments: [{ source: 0, columns: [scalarId], answered: 1, rowsMax: 6, ...fragment }],
  };
  const invoker = new InProcessInvoker(createWorkerEnvironment(world.store));
  return (await dispatch(batch, slicesOf(batch, ranges), invoker)).answers[0];
}

test('rows of all stripes, numbered', async () => {
  expect(await rowsOf({})).toEqual({
    ask: 'rows',
    rows: 6,
    rowNumbers: Float64Array.of(0, 1, 2, 3, 4, 5),
    columns: [{ kind: 'number', values: Uint32Array.of(0, 1, 2, 0, 1, 2) }],
  });
});

test.each([1, 2, 3, 7].flatMap((groups) => [1, 3].map((ranges) => ({ groups, ranges }))))(
  'each row once, in order, with $groups groups x $ranges ranges',
  async (layout) => {
    for (const stripes of [1, 2, 5, 30]) {
      const rows = 3 * stripes;
      const answer = await rowsOf({ rowsMax: rows }, { ...layout, stripes });
      expect(answer).toMatchObject({
        rows,
        rowNumbers: Float64Array.from({ length: rows }, (_, i) => i),
        columns: [{ values: Uint32Array.from({ length: rows }, (_, i) => i % 3) }],
      });
    }
  },
);

test('a filter keeps row numbers; its columns need not be answered', async () => {
  const rows = { ask: 'rows', rows: 4, rowNumbers: Float64Array.of(0, 2, 3, 5) };
  expect(await rowsOf({ filter: even })).toEqual({
    ...rows,
    columns: [{ kind: 'number', values: Uint32Array.of(0, 2, 0, 2) }],
  });
  expect(await rowsOf({ filter: even, answered: 0 })).toEqual({ ...rows, columns: [] });
});

test('a limit keeps at least the first rows', async () => {
  const answer = await rowsOf({ limit: 2 }, { ranges: 1, stripes: 4 });
  expect(answer).toMatchObject({ rows: 3, rowNumbers: Float64Array.of(0, 1, 2) });
});

test('too many rows are an error that names the setting', async () => {
  await expect(rowsOf({ rowsMax: 2 })).rejects.toMatchObject({
    code: 158,
    message: expect.stringContaining('max_rows_to_read'),
  });
});
