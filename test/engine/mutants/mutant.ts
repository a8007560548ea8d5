// Mutants: workers that make one known mistake. A mutant stands between the root and a real worker,
// as an invoker that tampers with what is asked or with what comes back; nothing in the engine knows
// of it. Batches still travel as bytes.

import type { Answer, Batch, Invocation, SetColumn, Slice } from '../../../engine/batch/batch.ts';
import {
  decodeBatch,
  decodeReply,
  decodeRequest,
  encodeBatch,
  encodeFailure,
  encodeInvocation,
  encodeReply,
} from '../../../engine/batch/batch-codec.ts';
import type { InvokeOptions, Invoker } from '../../../engine/batch/invoker.ts';
import type { Mistake } from '../queries/mistake-queries.ts';

export type Asked = Pick<Invocation, 'batch' | 'slices'>;

export interface OneReply {
  readonly slice: Slice;
  readonly answers: readonly Answer[];
}

/** The real worker. */
export type Run = (asked: Asked) => Promise<readonly OneReply[]>;

export type Invoke = (asked: Asked, run: Run) => Promise<readonly OneReply[]>;

export interface Mutant {
  readonly name: string;
  /** Whose queries must catch it. */
  readonly mistake: Mistake;
  readonly invoke: Invoke;
}

export class MutantInvoker implements Invoker {
  readonly parallelism = 1;
  readonly #inner: Invoker;
  readonly #invoke: Invoke;

  constructor(inner: Invoker, invoke: Invoke) {
    this.#inner = inner;
    this.#invoke = invoke;
  }

  async invoke(request: Uint8Array, options: InvokeOptions = {}): Promise<Uint8Array> {
    const { id, queryId, sentAt, ...one } = decodeRequest(request);
    // A worker may sum its slices before it replies: each is asked by itself, so that it can be changed.
    const run: Run = async ({ batch, slices }) => {
      const replies: OneReply[] = [];
      for (const slice of slices) {
        const asked = { id, queryId, sentAt, slices: [slice], batch: encodeBatch(batch) };
        const reply = await this.#inner.invoke(encodeInvocation(asked), options);
        const [found] = decodeReply(reply, asked).replies;
        replies.push({ slice, answers: found!.answers });
      }
      return replies;
    };
    try {
      if (one.message !== 'invocation' || !(one.batch instanceof Uint8Array)) throw new Error();
      const asked = { batch: decodeBatch(one.batch), slices: one.slices };
      const found = await this.#invoke(asked, run);
      const replies = found.map(({ slice, answers }) => ({ slices: [slice], answers }));
      return encodeReply({ id, queryId, replies, usages: [] });
    } catch (error) {
      return encodeFailure(error);
    }
  }

  async close(): Promise<void> {}
}

/** Asks for slices one at a time; `change` may ask the worker too. */
export function bySlice(change: (asked: Asked, run: Run) => Promise<Asked> | Asked): Invoke {
  return async (asked, run) => {
    const replies: OneReply[] = [];
    for (const slice of asked.slices) {
      const one = { ...asked, slices: [slice] };
      const [reply] = await run(await change(one, run));
      replies.push({ slice, answers: reply!.answers });
    }
    return replies;
  };
}

/** Same rows, nobody there. */
export function nobody(answer: Answer): Answer {
  switch (answer.ask) {
    case 'card':
      return { ask: 'card', counts: new Float64Array(answer.counts.length) };
    case 'any':
      return { ask: 'any', flags: new Uint8Array(answer.flags.length) };
    case 'digest':
      return { ask: 'digest', words: new Uint32Array(answer.words.length) };
    case 'rows':
      return { ask: 'rows', rows: 0, rowNumbers: new Float64Array(0), columns: [] };
    default:
      return lists(
        answer.ask,
        keyRows(answer).map(() => []),
      );
  }
}

export type KeyAnswer = Extract<Answer, { readonly ask: 'ids' | 'least' | 'greatest' }>;

/** Integer ids of each row. */
export function keyRows(answer: KeyAnswer): bigint[][] {
  const { offsets, keys } = answer;
  return Array.from({ length: offsets.length - 1 }, (_, row) => [
    ...(keys.values as BigUint64Array).subarray(offsets[row], offsets[row + 1]),
  ]);
}

export function lists(ask: KeyAnswer['ask'], rows: readonly (readonly bigint[])[]): KeyAnswer {
  const offsets = new Uint32Array(rows.length + 1);
  rows.forEach((row, i) => {
    offsets[i + 1] = offsets[i]! + row.length;
  });
  return { ask, offsets, keys: { domain: 'integer', values: BigUint64Array.from(rows.flat()) } };
}

type Add = (column: SetColumn) => number;

/** The batch with each set column changed; `add` puts more before it. Operands are renumbered. */
export function changeSets(
  batch: Batch,
  change: (column: SetColumn, node: number, add: Add) => SetColumn,
): Batch {
  const sets: SetColumn[] = [];
  const placed: number[] = [];
  const add: Add = (column) => sets.push(column) - 1;
  batch.sets.forEach((column, node) => {
    placed.push(add(change(moved(column, placed), node, add)));
  });
  const asks = batch.asks.map((ask) =>
    ask.ask === 'rows' ? ask : { ...ask, of: placed[ask.of]! },
  );
  return { ...batch, sets, asks };
}

function moved(column: SetColumn, placed: readonly number[]): SetColumn {
  if (column.op === 'pair') return { ...column, a: placed[column.a]!, b: placed[column.b]! };
  if (column.op === 'concat') return { ...column, of: column.of.map((one) => placed[one]!) };
  return 'of' in column ? { ...column, of: placed[column.of]! } : column;
}

/** Cardinalities of whole nodes in the invocation's one slice. */
export async function countsIn(
  asked: Asked,
  run: Run,
  nodes: readonly number[],
): Promise<ReadonlyMap<number, Float64Array>> {
  const asks = nodes.map((of) => ({ ask: 'card' as const, of }));
  const [reply] = await run({ ...asked, batch: { ...asked.batch, asks } });
  return new Map(
    reply!.answers.map((answer, i) => [
      nodes[i]!,
      answer.ask === 'card' ? answer.counts : new Float64Array(0),
    ]),
  );
}
