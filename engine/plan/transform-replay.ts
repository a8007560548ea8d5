// bitmapTransform at the root: which ids leave a set and which come, given which of the replaced ids
// are members. ClickHouse goes through the two arrays in order, each step on the result of the last.

import { assert } from '../../base/assert.ts';
import { MusterError } from '../../base/errors.ts';
import { type Column, columnLength } from '../../storage-format/column.ts';
import type { FunctionCall } from '../library/scalar-function.ts';
import { columnBuilder, type Value, valueAt } from '../values/column-builder.ts';

/** Arguments: members among the replaced ids, replaced ids, replacing ids. */
export function replayTransform(call: FunctionCall, wanted: 'removed' | 'added'): Column {
  const [members, from, to] = call.arguments;
  const rows = call.arguments.every((argument) => argument.constant) ? 1 : call.rows;
  const builder = columnBuilder(call.returns, rows);
  for (let row = 0; row < rows; row++) {
    const [present, replaced, replacing] = [members!, from!, to!].map((argument) =>
      listAt(argument.column, argument.constant ? 0 : row),
    );
    builder.append(replayRow(new Set(present), replaced!, replacing!)[wanted]);
  }
  return builder.finish();
}

function listAt(column: Column, row: number): readonly Value[] {
  assert(column.kind === 'array' && row < columnLength(column), 'a row of an array column');
  return valueAt(column, row) as readonly Value[];
}

/** `removed`: replaced ids that end outside. `added`: ids that were put in and stay. */
function replayRow(
  present: ReadonlySet<Value>,
  replaced: readonly Value[],
  replacing: readonly Value[],
): { readonly removed: readonly Value[]; readonly added: readonly Value[] } {
  if (replaced.length !== replacing.length) {
    throw new MusterError(
      'BAD_ARGUMENTS',
      `For function bitmapTransform, the sizes of the two arrays must be equal: ${replaced.length} and ${replacing.length}`,
    );
  }
  const now = new Set(present);
  const touched = new Set<Value>();
  replaced.forEach((id, i) => {
    if (!now.delete(id)) return;
    const next = replacing[i]!;
    touched.add(id);
    touched.add(next);
    now.add(next);
  });
  const removed = [...touched].filter((id) => !now.has(id));
  const added = [...touched].filter((id) => now.has(id));
  return { removed, added };
}
