// Which members of each set column can matter at all: `and` with a literal of a few ids needs of its
// other operand no more than those ids, and set algebra is done code by code, so that the same holds
// for whatever that operand was made of. So a question about one person reads one container of a
// large set. Says what needn't be read, never what a set holds.

import type { CodeRange } from '../../storage-format/bitmap.ts';
import { newCursor, setUnder, type SetVector } from '../../storage-format/set-vector.ts';
import { setToCodes } from '../../storage-format/bitmap.ts';
import { type Batch, operandsOf, type SetColumn } from '../batch/batch.ts';
import { containerCodes } from '../batch/slices.ts';
import type { Rows, SetGraph } from './set-graph.ts';

export interface WantedMembers {
  readonly rows: Rows;
  /** Ranges of codes (ascending, apart), all else may be missing; absent: all members. */
  readonly within?: readonly CodeRange[];
}

/** Literal nodes whose members are all that matters of a node. */
export type Literals = ReadonlySet<number>;
type Wanted = 'all' | Literals;

/** Literals of more ids touch so many containers that to wait for their codes doesn't pay. */
const idsMax = 64;

/** Of each node the literals that it meets everywhere; undefined where all of it may matter. */
export function literalsMet(
  { columns }: SetGraph,
  asks: Batch['asks'],
  indexed: boolean,
): readonly (Literals | undefined)[] {
  const pass = new LiteralsPass(columns);
  for (const ask of asks) {
    if (ask.ask === 'rows') continue;
    if (ask.ask !== 'card' || !indexed || !isStored(columns, ask.of)) pass.want(ask.of, 'all');
  }
  for (let node = columns.length - 1; node >= 0; node--) pass.visit(node);
  return pass.wanted.map((wanted) => (wanted === 'all' ? undefined : wanted));
}

/** The containers that hold codes of these literals; from `nextCode` on nothing is stored. */
export function containersOf(
  literals: readonly SetVector[],
  nextCode: number,
): readonly CodeRange[] {
  const keys = new Set<number>();
  const cursor = newCursor();
  for (const vector of literals) {
    for (let row = 0; row < vector.length; row++) {
      vector.locate(row, cursor);
      for (const code of setToCodes(setUnder(cursor))) {
        if (code < nextCode) keys.add(Math.floor(code / containerCodes));
      }
    }
  }
  return Array.from(keys)
    .sort((a, b) => a - b)
    .map((key) => ({ start: key * containerCodes, end: (key + 1) * containerCodes }));
}

class LiteralsPass {
  readonly wanted: (Wanted | undefined)[];
  readonly #columns: readonly SetColumn[];

  constructor(columns: readonly SetColumn[]) {
    this.#columns = columns;
    this.wanted = columns.map(() => undefined);
  }

  want(node: number, more: Wanted): void {
    const known = this.wanted[node];
    if (known === undefined || more === 'all') this.wanted[node] = more;
    else if (known !== 'all') this.wanted[node] = new Set([...known, ...more]);
  }

  /** What a node needs of its operands; all users of the node were visited before. */
  visit(node: number): void {
    const column = this.#columns[node];
    const wanted = this.wanted[node];
    if (column === undefined || wanted === undefined) return;
    if (column.op === 'pair') this.#visitPair(column, wanted);
    else for (const operand of operandsOf(column)) this.want(operand, wanted);
  }

  #visitPair({ how, a, b }: Extract<SetColumn, { readonly op: 'pair' }>, wanted: Wanted): void {
    this.want(a, (how === 'and' ? this.#literal(b) : undefined) ?? wanted);
    this.want(b, (how === 'and' || how === 'andnot' ? this.#literal(a) : undefined) ?? wanted);
  }

  /** The node as a literal of few ids, if it is one. */
  #literal(node: number): Literals | undefined {
    const column = this.#columns[node];
    if (column?.op === 'take') return this.#literal(column.of);
    const isShort = column?.op === 'raw' && column.ids.ordinals.length <= idsMax;
    return isShort ? new Set([node]) : undefined;
  }
}

/** Rows whose cardinalities stand in indexes: then no member is needed to count them. */
function isStored(columns: readonly SetColumn[], node: number): boolean {
  const column = columns[node];
  if (column?.op === 'take') return isStored(columns, column.of);
  return (
    column?.op === 'stored' ||
    (column?.op === 'concat' && column.of.every((part) => isStored(columns, part)))
  );
}
