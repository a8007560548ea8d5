// Questions of one stage and what comes back: from ask expressions over a relation to asks of the
// set graph, from answers to plain columns. Sets that are literals are answered here, without a
// worker.

import { type KeyList, noKeys } from '../../storage-format/key-list.ts';
import { assert } from '../../base/assert.ts';
import { MusterError } from '../../base/errors.ts';
import { encodeStringState, encodeUuidState } from '../../storage-format/byte-set-state.ts';
import { encodeState } from '../../storage-format/clickhouse-state.ts';
import type { Column } from '../../storage-format/column.ts';
import type { DataType, IntegerName } from '../../storage-format/data-type.ts';
import type { Answer, Ask } from '../batch/batch.ts';
import type { IdLists } from '../batch/id-lists.ts';
import { createInternTable } from '../dictionary/intern-table.ts';
import type { AskExpression } from '../plan/bound-expression.ts';
import { evaluate } from '../rows/evaluate.ts';
import { fullColumn, fullSet, type Relation, type RelationColumn } from '../rows/relation.ts';
import { numberArray } from '../values/column-shape.ts';
import type { SetEvaluation } from './evaluation.ts';
import { membershipQuestion } from './membership-question.ts';
import type { SetGraph } from './set-graph.ts';

/** A question with its place: `constant` when the set is one that stands for all rows. */
export interface Question {
  readonly ask: Exclude<Ask, { ask: 'rows' | 'digest' }>;
  readonly constant: boolean;
  /** Makes the column, where it is more than the answer as it comes. */
  readonly finish?: (answer: Answer) => RelationColumn;
}

type KeyAnswer = Extract<Answer, { readonly ask: 'ids' | 'least' | 'greatest' }>;

export function questionOf(
  expression: AskExpression,
  relation: Relation,
  evaluation: SetEvaluation,
): Question {
  const { maxIdsInResult } = evaluation.limits;
  const idsMax = maxIdsInResult === 0 ? Number.MAX_SAFE_INTEGER : maxIdsInResult;
  const membership = membershipQuestion(expression, relation, evaluation);
  if (membership !== undefined) {
    const { of, finish } = membership;
    return { ask: { ask: 'ids', of, idsMax }, constant: false, finish };
  }
  const operands = expression.arguments.map((one) => evaluate(one, relation, evaluation));
  const constant = operands.every((one) => one.kind !== 'absent' && one.constant);
  const rows = constant ? 1 : relation.rows;
  const of = fullSet(operands[0]!, rows, evaluation.graph);
  switch (expression.ask) {
    case 'card':
    case 'any':
      return { ask: { ask: expression.ask, of }, constant };
    case 'ids':
    case 'state':
      return { ask: { ask: 'ids', of, idsMax }, constant };
    case 'least': {
      const n = counts(fullColumn(operands[1]!, rows));
      const from = wide(fullColumn(operands[2]!, rows));
      return { ask: { ask: 'least', of, n, from }, constant };
    }
    case 'greatest': {
      const n = counts(fullColumn(operands[1]!, rows));
      return { ask: { ask: 'greatest', of, n }, constant };
    }
  }
}

/** The answer to a question about literals or about no sets at all; undefined where workers are needed. */
export function localAnswer(question: Question, graph: SetGraph): Answer | undefined {
  const { ask } = question;
  const { length, domain } = graph.node(ask.of);
  const ids = length === 0 ? noLists(domain) : graph.literalIds(ask.of);
  if (ids === undefined) return undefined;
  const rows = ids.offsets.length - 1;
  switch (ask.ask) {
    case 'card':
      return {
        ask: 'card',
        counts: Float64Array.from({ length: rows }, (_, i) => listLength(ids, i)),
      };
    case 'any':
      return {
        ask: 'any',
        flags: Uint8Array.from({ length: rows }, (_, i) => Math.min(1, listLength(ids, i))),
      };
    case 'ids':
      return sortedLists(ids);
    default:
      return length === 0 ? { ask: ask.ask, offsets: ids.offsets, keys: ids.keys } : undefined;
  }
}

function noLists(domain: KeyList['domain']): IdLists {
  return { keys: noKeys(domain), offsets: new Uint32Array(1), ordinals: new Uint32Array(0) };
}

/** The column that a question's answer becomes. */
export function answerColumn(
  expression: AskExpression,
  question: Question,
  answer: Answer,
): RelationColumn {
  if (question.finish !== undefined) return question.finish(answer);
  return { kind: 'plain', column: columnOf(expression, answer), constant: question.constant };
}

/** The ids of an answer as lists, for what takes sets as lists of ids. */
export function answerLists(answer: Answer): IdLists {
  assert(answer.ask === 'ids', 'lists come of ids');
  const { offsets, keys } = answer;
  const ordinals = new Uint32Array(keys.values.length);
  if (offsets.length <= 2) {
    for (let i = 0; i < ordinals.length; i++) ordinals[i] = i;
    return { keys, offsets, ordinals };
  }
  const table = createInternTable(keys.domain);
  table.intern(keys, ordinals);
  for (let row = 0; row + 1 < offsets.length; row++) {
    ordinals.subarray(offsets[row], offsets[row + 1]).sort();
  }
  return { keys: table.keys(), offsets, ordinals };
}

function columnOf(expression: AskExpression, answer: Answer): Column {
  switch (answer.ask) {
    case 'card':
      return { kind: 'wide', values: wideCounts(answer.counts) };
    case 'any':
      return { kind: 'number', values: answer.flags };
    case 'ids':
    case 'least':
    case 'greatest':
      return expression.ask === 'state'
        ? stateColumn(answer, expression)
        : {
            kind: 'array',
            offsets: answer.offsets,
            items: keyColumn(answer.keys, itemType(expression)),
          };
    default:
      throw new MusterError('LOGICAL_ERROR', `No column is made of the answer ${answer.ask}`);
  }
}

/** In halves: a bigint for each would cost ten times more. */
function wideCounts(numbers: Float64Array): BigUint64Array {
  const values = new BigUint64Array(numbers.length);
  const halves = new Uint32Array(values.buffer);
  for (let i = 0; i < numbers.length; i++) {
    const count = numbers[i] as number;
    halves[2 * i] = count;
    if (count > 0xffff_ffff) halves[2 * i + 1] = Math.floor(count / 2 ** 32);
  }
  return values;
}

function itemType(expression: AskExpression): DataType {
  assert(expression.type.kind === 'Array', 'ids are an array');
  return expression.type.item;
}

function stateColumn(answer: KeyAnswer, expression: AskExpression): Column {
  const set = expression.arguments[0]!.type;
  assert(set.kind === 'Bitmap', 'states are of sets');
  const { keys, offsets } = answer;
  const values: string[] = [];
  for (let row = 0; row + 1 < offsets.length; row++) {
    const start = offsets[row] as number;
    const end = offsets[row + 1] as number;
    const bytes = stateOf(keys, { start, end }, set.id);
    values.push(Buffer.from(bytes).toString('latin1'));
  }
  return { kind: 'string', values };
}

/** The state of keys [start, end), ascending. */
function stateOf(
  keys: KeyList,
  { start, end }: { readonly start: number; readonly end: number },
  id: DataType,
): Uint8Array {
  switch (keys.domain) {
    case 'string':
      return encodeStringState(keys.values.slice(start, end));
    case 'uuid':
      return encodeUuidState(keys.values.slice(start, end));
    default:
      return encodeState(keys.values.subarray(start, end), id.kind as IntegerName);
  }
}

/** Keys as a column of their SQL type. */
export function keyColumn(keys: KeyList, type: DataType): Column {
  if (keys.domain !== 'integer') return { kind: 'string', values: keys.values };
  if (type.kind === 'UInt64') return { kind: 'wide', values: keys.values };
  const { buffer, byteOffset, length } = keys.values;
  if (type.kind === 'Int64') {
    return { kind: 'wide', values: new BigInt64Array(buffer, byteOffset, length) };
  }
  const halves = new Uint32Array(buffer, byteOffset, 2 * length);
  const values = numberArray(type, length);
  for (let i = 0; i < length; i++) values[i] = halves[2 * i] as number;
  return { kind: 'number', values };
}

function sortedLists(ids: IdLists): Answer {
  const { offsets, ordinals, keys } = ids;
  const rows = offsets.length - 1;
  if (keys.domain !== 'integer') {
    const values = Array.from(ordinals, (ordinal) => keys.values[ordinal]!);
    const sorted: string[] = [];
    for (let row = 0; row < rows; row++) {
      sorted.push(...values.slice(offsets[row], offsets[row + 1]).sort(compareBytes));
    }
    return { ask: 'ids', offsets, keys: { domain: keys.domain, values: sorted } };
  }
  const values = new BigUint64Array(ordinals.length);
  for (let i = 0; i < values.length; i++) values[i] = keys.values[ordinals[i] as number]!;
  for (let row = 0; row < rows; row++) values.subarray(offsets[row], offsets[row + 1]).sort();
  return { ask: 'ids', offsets, keys: { domain: 'integer', values } };
}

function compareBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function listLength(ids: IdLists, row: number): number {
  return (ids.offsets[row + 1] as number) - (ids.offsets[row] as number);
}

function counts(column: Column): Float64Array {
  return Float64Array.from(wide(column), Number);
}

function wide(column: Column): BigUint64Array {
  assert(column.kind === 'wide', 'a 64-bit column');
  const { values } = column;
  return values instanceof BigUint64Array
    ? values
    : new BigUint64Array(values.buffer, values.byteOffset, values.length);
}
