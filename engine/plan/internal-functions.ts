// Scalar functions that only the planner calls: membership in constants, and what it makes of the
// ids that workers answer. Their names begin with an underscore; SQL cannot reach them.

import { assert } from '../../base/assert.ts';
import { type Column, columnLength } from '../../storage-format/column.ts';
import { type DataType, valueType } from '../../storage-format/data-type.ts';
import { IntegerInternTable } from '../dictionary/intern-table.ts';
import { columnHalves } from '../library/columns/halves.ts';
import { take } from '../library/columns/take.ts';
import type { FunctionCall, ScalarFunction } from '../library/scalar-function.ts';
import { replayTransform } from './transform-replay.ts';

const uint8: DataType = { kind: 'UInt8' };
const uint64: DataType = { kind: 'UInt64' };

export const internalFunctions: readonly ScalarFunction[] = [
  { name: '_in', arity: [2, 2], returnType: () => uint8, evaluate: isMember },
  { name: '_firstId', arity: [2, 2], returnType: () => uint64, evaluate: firstId },
  { name: '_addCounts', arity: [2, 2], returnType: () => uint64, evaluate: addCounts },
  {
    name: '_ascendingIds',
    arity: [1, 1],
    returnType: (types) => types[0]!.type,
    evaluate: ascendingIds,
  },
  {
    name: '_transformRemoved',
    arity: [3, 3],
    returnType: (types) => types[0]!.type,
    evaluate: (call) => replayTransform(call, 'removed'),
  },
  {
    name: '_transformAdded',
    arity: [3, 3],
    returnType: (types) => types[0]!.type,
    evaluate: (call) => replayTransform(call, 'added'),
  },
];

function isMember(call: FunctionCall): Column {
  const [value, list] = [call.arguments[0]!, call.arguments[1]!];
  assert(list.constant && list.column.kind === 'array', 'IN is over a constant array');
  const rows = value.constant ? 1 : call.rows;
  const values = new Uint8Array(rows);
  const { items } = list.column;
  if (value.column.kind === 'string' && items.kind === 'string') {
    const members = new Set(items.values);
    for (let i = 0; i < rows; i++) values[i] = members.has(value.column.values[i]!) ? 1 : 0;
  } else markMembers(value.column, items, { out: values, isFloat: isFloat(value.type) });
  return { kind: 'number', values };
}

function isFloat(type: DataType): boolean {
  return valueType(type).kind.startsWith('Float');
}

function markMembers(
  column: Column,
  items: Column,
  target: { readonly out: Uint8Array; readonly isFloat: boolean },
): void {
  const table = new IntegerInternTable();
  const listed = columnHalves(items, columnLength(items), target.isFloat);
  for (let i = 0; i < listed.length; i += 2) {
    table.internHalves(listed[i]! >>> 0, listed[i + 1]! >>> 0);
  }
  const rows = target.out.length;
  const halves = columnHalves(column, rows, target.isFloat);
  for (let i = 0; i < rows; i++) {
    target.out[i] = table.find(halves[2 * i]! >>> 0, halves[2 * i + 1]! >>> 0) >= 0 ? 1 : 0;
  }
}

/** The first of each row's ids as an unsigned number of its type's width, or the default. */
function firstId(call: FunctionCall): Column {
  const [ids, fallback] = [call.arguments[0]!, call.arguments[1]!];
  const column = ids.column;
  assert(column.kind === 'array' && fallback.column.kind === 'wide', 'ids and a number');
  assert(ids.type.kind === 'Array', 'ids are an array');
  const bits = BigInt(/\d+$/.exec(ids.type.item.kind)?.[0] ?? '64');
  const rows = columnLength(column);
  const values = new BigUint64Array(rows);
  for (let i = 0; i < rows; i++) {
    const start = column.offsets[i] as number;
    const isEmpty = start === column.offsets[i + 1];
    const none = fallback.column.values[fallback.constant ? 0 : i]!;
    values[i] = isEmpty ? none : BigInt.asUintN(Number(bits), idAt(column.items, start));
  }
  return { kind: 'wide', values };
}

function idAt(items: Column, at: number): bigint {
  assert(items.kind === 'number' || items.kind === 'wide', 'ids are integers');
  return BigInt(items.values[at]!);
}

/** A sum that stops at the largest UInt64. */
function addCounts(call: FunctionCall): Column {
  const [a, b] = [call.arguments[0]!, call.arguments[1]!];
  const most = 0xffff_ffff_ffff_ffffn;
  const values = new BigUint64Array(call.rows);
  for (let i = 0; i < call.rows; i++) {
    const sum = idAt(a.column, a.constant ? 0 : i) + idAt(b.column, b.constant ? 0 : i);
    values[i] = sum > most ? most : sum;
  }
  return { kind: 'wide', values };
}

/** Distinct ids of each row in ascending unsigned order, as bitmapToArray gives them. */
function ascendingIds(call: FunctionCall): Column {
  const { column, type } = call.arguments[0]!;
  assert(column.kind === 'array' && type.kind === 'Array', 'ids are an array');
  const rows = columnLength(column);
  const index: number[] = [];
  const offsets = new Uint32Array(rows + 1);
  for (let row = 0; row < rows; row++) {
    index.push(...ascendingRow(column, row));
    offsets[row + 1] = index.length;
  }
  return { kind: 'array', offsets, items: take(column.items, Int32Array.from(index)) };
}

function ascendingRow(column: Extract<Column, { kind: 'array' }>, row: number): readonly number[] {
  const places = new Map<bigint | string, number>();
  const end = column.offsets[row + 1] as number;
  for (let i = column.offsets[row] as number; i < end; i++) {
    const { items } = column;
    const id = items.kind === 'string' ? items.values[i]! : BigInt.asUintN(64, idAt(items, i));
    if (!places.has(id)) places.set(id, i);
  }
  const ordered = [...places].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return ordered.map(([, place]) => place);
}
