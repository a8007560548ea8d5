// Questions whether rows' own ids are in a set that is the same for all of them, of rows that hold codes:
// the set is evaluated once in the group, and each row's code looked up in its bits.

import { assert, defined } from '../../base/assert.ts';
import { setToBits } from '../../storage-format/bitmap.ts';
import type { Column } from '../../storage-format/column.ts';
import { setsOf, type SetVector } from '../../storage-format/set-vector.ts';
import type { Batch } from '../batch/batch.ts';
import type { AskExpression } from '../plan/bound-expression.ts';
import type { SetEvaluation } from '../root/evaluation.ts';
import { buildBatch } from '../root/set-batch.ts';
import { evaluate } from '../rows/evaluate.ts';
import { fullSet, plain, type RelationColumn } from '../rows/relation.ts';

interface CodeScope {
  readonly evaluation: SetEvaluation;
  /** Of the batches that are made here. */
  readonly header: Pick<Batch, 'namespace' | 'queryId' | 'deadline'>;
  /** A node of a batch, in the whole group. */
  sets(batch: Batch, node: number): Promise<SetVector>;
}

export class OwnCodes {
  readonly #scope: CodeScope;
  /** By question, the set as bits. */
  readonly #bits = new Map<AskExpression, Uint32Array>();

  constructor(scope: CodeScope) {
    this.#scope = scope;
  }

  /** 1 for each code that is in the question's set. */
  async flags(ask: AskExpression, codes: Column): Promise<RelationColumn> {
    assert(codes.kind === 'number', 'codes are numbers');
    const bits = this.#bits.get(ask) ?? (await this.#bitsOf(ask));
    this.#bits.set(ask, bits);
    const flags = new Uint8Array(codes.values.length);
    for (let i = 0; i < flags.length; i++) {
      const code = codes.values[i] as number;
      flags[i] = ((bits[code >>> 5] as number) >>> (code & 31)) & 1;
    }
    return plain({ kind: 'number', values: flags });
  }

  async #bitsOf(ask: AskExpression): Promise<Uint32Array> {
    const { evaluation, header } = this.#scope;
    const { graph } = evaluation;
    const pair = ask.arguments[0];
    const { dictionary, end } = defined(evaluation.codes, 'rows that hold codes');
    assert(pair?.kind === 'set', 'a set and a code');
    const column = evaluate(pair.arguments[0]!, { rows: 1, columns: [] }, evaluation);
    const of = graph.bound(fullSet(column, 1, graph), dictionary);
    const batch = buildBatch(graph, [{ ask: 'ids', of, idsMax: 0 }], header);
    const [asked] = batch.asks;
    assert(asked?.ask === 'ids', 'the question that was put');
    const [set = new Uint32Array(0)] = setsOf(await this.#scope.sets(batch, asked.of));
    return setToBits(set, end);
  }
}

/** Where the rows' codes are, of a question whether their own ids are in a set. */
export function ownCodes(ask: AskExpression): number | undefined {
  const pair = ask.arguments[0];
  const coded = pair?.kind === 'set' ? pair.arguments[1] : undefined;
  if (coded?.kind !== 'set' || coded.op !== 'coded') return undefined;
  const [code] = coded.arguments;
  assert(code?.kind === 'column', 'codes are a column');
  return code.index;
}
