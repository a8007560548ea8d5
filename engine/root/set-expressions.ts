// Set-valued expressions: each adds one node to the set graph. Over constants only, the node has one
// row that stands for all.

import { domainOfIds, type KeyList } from '../../storage-format/key-list.ts';
import { assert } from '../../base/assert.ts';
import { MusterError } from '../../base/errors.ts';
import { type Column, columnLength } from '../../storage-format/column.ts';
import { internedLists, sortedLists } from '../batch/sorted-lists.ts';
import type { IdLists } from '../batch/id-lists.ts';
import { createInternTable, type Interning } from '../dictionary/intern-table.ts';
import { IdSetBuilder } from '../formats/set-builder.ts';
import { evaluate, type SetExpression } from '../rows/evaluate.ts';
import { fullColumn, fullSet, type Relation, type RelationColumn } from '../rows/relation.ts';
import type { SetEvaluation } from './evaluation.ts';
import type { SetGraph } from './set-graph.ts';

export function evaluateSet(
  expression: SetExpression,
  relation: Relation,
  evaluation: SetEvaluation,
): RelationColumn {
  const operands = expression.arguments.map((one) => evaluate(one, relation, evaluation));
  const constant = operands.every((one) => one.kind !== 'absent' && one.constant);
  const rows = constant ? 1 : relation.rows;
  const node = addNode(expression, operands, { rows, graph: evaluation.graph });
  return { kind: 'set', node, constant };
}

interface Target {
  readonly rows: number;
  readonly graph: SetGraph;
}

function addNode(
  expression: SetExpression,
  operands: readonly RelationColumn[],
  { rows, graph }: Target,
): number {
  const set = (i: number): number => fullSet(operands[i]!, rows, graph);
  const column = (i: number): Column => fullColumn(operands[i]!, rows);
  switch (expression.op) {
    case 'and':
    case 'or':
    case 'xor':
    case 'andnot':
      return graph.pair(expression.op, set(0), set(1));
    case 'range':
      return graph.range(set(0), unsigned(column(1)), unsigned(column(2)));
    case 'literal':
      return graph.raw(arrayLists(column(0), domainOf(expression), rows));
    case 'single':
      return graph.raw(singleLists(column(0), domainOf(expression)));
    case 'state':
      return graph.raw(stateLists(column(0), expression));
    case 'coded':
      assert(false, 'codes of rows are looked up, never a set');
      break;
    case 'choose':
      return choose(column(0), [set(1), set(2)], { rows, graph });
  }
}

function domainOf(expression: SetExpression): KeyList['domain'] {
  assert(expression.type.kind === 'Bitmap', 'a set has a bitmap type');
  return domainOfIds(expression.type.id);
}

function choose(
  condition: Column,
  [whenTrue, otherwise]: readonly [number, number],
  { rows, graph }: Target,
): number {
  assert(condition.kind === 'number', 'a condition is a number');
  const index = new Int32Array(rows);
  for (let i = 0; i < rows; i++) {
    const truth = condition.values[i] !== 0 && condition.nulls?.[i] !== 1;
    index[i] = truth ? i : rows + i;
  }
  return graph.take(graph.concat([whenTrue, otherwise]), index);
}

function unsigned(column: Column): BigUint64Array {
  assert(column.kind === 'wide', 'bounds are 64-bit');
  const { values } = column;
  return values instanceof BigUint64Array
    ? values
    : new BigUint64Array(values.buffer, values.byteOffset, values.length);
}

/** Lists of the ids of an array column. */
export function arrayLists(column: Column, domain: KeyList['domain'], rows: number): IdLists {
  assert(column.kind === 'array', 'a literal set is an array');
  const { offsets, items } = column;
  const table = createInternTable(domain);
  const ordinals = new Uint32Array(columnLength(items));
  internColumn(items, table, ordinals);
  const nulls = items.kind === 'array' || items.kind === 'tuple' ? undefined : items.nulls;
  const kept = new Uint32Array(rows + 1);
  let at = 0;
  for (let row = 0; row < rows; row++) {
    const end = offsets[row + 1] as number;
    for (let i = offsets[row] as number; i < end; i++) {
      if (nulls?.[i] !== 1) ordinals[at++] = ordinals[i] as number;
    }
    kept[row + 1] = at;
  }
  return { keys: table.keys(), ...sortedLists(kept, ordinals.subarray(0, at)) };
}

function singleLists(column: Column, domain: KeyList['domain']): IdLists {
  const rows = columnLength(column);
  const table = createInternTable(domain);
  const ordinals = new Uint32Array(rows);
  internColumn(column, table, ordinals);
  return {
    keys: table.keys(),
    offsets: Uint32Array.from({ length: rows + 1 }, (_, i) => i),
    ordinals,
  };
}

/** Sets out of the bytes of their states; NULL is an empty one. */
function stateLists(column: Column, { type }: SetExpression): IdLists {
  assert(column.kind === 'string', 'states are byte strings');
  assert(type.kind === 'Bitmap', 'a set has a bitmap type');
  const builder = new IdSetBuilder(type.id, 'state');
  column.values.forEach((value, row) => {
    if (column.nulls?.[row] === 1) {
      builder.null();
      return;
    }
    const bytes = Buffer.from(value, 'latin1');
    if (bytes.length === 0) throw new MusterError('INCORRECT_DATA', 'An empty text is no state');
    builder.text(bytes, 0, bytes.length);
  });
  return internedLists(builder.finishLists());
}

/** Ordinals of a column of ids; signed integers count by their sign-extended pattern. */
export function internColumn(column: Column, table: Interning, out: Uint32Array): void {
  if (column.kind === 'string') {
    const domain = table.domain === 'uuid' ? 'uuid' : 'string';
    table.intern({ domain, values: column.values }, out);
  } else table.intern({ domain: 'integer', values: patternsOf(column) }, out);
}

/** Integers as 64-bit patterns; a view where they are that wide. */
export function patternsOf(column: Column): BigUint64Array {
  if (column.kind === 'wide') {
    const { buffer, byteOffset, length } = column.values;
    return new BigUint64Array(buffer, byteOffset, length);
  }
  if (column.kind === 'number') return widened(column.values);
  throw new MusterError('ILLEGAL_TYPE_OF_ARGUMENT', 'Ids are integers or strings');
}

function widened(values: Extract<Column, { kind: 'number' }>['values']): BigUint64Array {
  const patterns = new BigUint64Array(values.length);
  const halves = new Int32Array(patterns.buffer);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    halves[2 * i] = value;
    halves[2 * i + 1] = value < 0 ? -1 : 0;
  }
  return patterns;
}
