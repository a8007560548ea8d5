// `bitmapContains(one set, column of ids)` over many rows: instead of a pair of sets for every row,
// the distinct ids of the column become one literal set; which of its members are in the set is one
// question about one row, and the rows look their ids up in the answer.

import { domainOfIds } from '../../storage-format/key-list.ts';
import type { Answer } from '../batch/batch.ts';
import type { IdLists } from '../batch/id-lists.ts';
import { createInternTable, type InternTable } from '../dictionary/intern-table.ts';
import type { AskExpression } from '../plan/bound-expression.ts';
import { evaluate, evaluateFull } from '../rows/evaluate.ts';
import { plain, type Relation, type RelationColumn } from '../rows/relation.ts';
import type { SetEvaluation } from './evaluation.ts';
import { internColumn } from './set-expressions.ts';
import type { SetNodeId } from './set-graph.ts';

interface MembershipQuestion {
  /** One row: the column's ids that are in the set. */
  readonly of: SetNodeId;
  readonly finish: (answer: Answer) => RelationColumn;
}

/** Undefined where the question has another form. */
export function membershipQuestion(
  expression: AskExpression,
  relation: Relation,
  evaluation: SetEvaluation,
): MembershipQuestion | undefined {
  const pair = expression.arguments[0];
  if (expression.ask !== 'any' || pair?.kind !== 'set' || pair.op !== 'and') return undefined;
  const [set, single] = pair.arguments;
  if (set?.kind !== 'scalar' || single?.kind !== 'set' || single.op !== 'single') return undefined;
  const haystack = evaluate(set, relation, evaluation);
  if (haystack.kind !== 'set' || !haystack.constant || relation.rows < 2) return undefined;
  const ids = evaluateFull(single.arguments[0]!, relation, evaluation);
  const table = createInternTable(
    single.type.kind === 'Bitmap' ? domainOfIds(single.type.id) : 'integer',
  );
  const ordinals = new Uint32Array(relation.rows);
  internColumn(ids, table, ordinals);
  const { graph } = evaluation;
  const of = graph.pair('and', haystack.node, graph.raw(oneList(table)));
  return { of, finish: (answer) => flagsOf(answer, table, ordinals) };
}

function oneList(table: InternTable): IdLists {
  const ordinals = Uint32Array.from({ length: table.count }, (_, i) => i);
  return { keys: table.keys(), offsets: Uint32Array.of(0, table.count), ordinals };
}

function flagsOf(answer: Answer, table: InternTable, ordinals: Uint32Array): RelationColumn {
  const inside = new Uint8Array(table.count);
  if (answer.ask === 'ids') {
    const found = new Uint32Array(answer.keys.values.length);
    // Every answered id is one of the table's: interning finds it and adds nothing.
    table.intern(answer.keys, found);
    for (const ordinal of found) inside[ordinal] = 1;
  }
  const values = new Uint8Array(ordinals.length);
  for (let i = 0; i < values.length; i++) values[i] = inside[ordinals[i] as number] as number;
  return plain({ kind: 'number', values });
}
