// Which row-wise pairs are counted as one tree: a pair of pairs that nobody else needs is not made, but is
// a step of the tree above it. Pure; what the steps do with sets is tree-counts.ts.

import type { SetTree, TreeStep } from '../../storage-format/hot-trees.ts';
import type { SetColumn } from '../batch/batch.ts';

export interface CountedTree {
  /** Nodes whose rows are the leaves. */
  readonly leaves: readonly number[];
  readonly tree: SetTree;
}

/** Pairs below are leaves again. */
const stepsMax = 32;

/** The tree of pairs under a node; undefined where there is no more than one. */
export function countedTree(
  columns: readonly SetColumn[],
  uses: readonly number[],
  root: number,
): CountedTree | undefined {
  const inner = innerPairs(columns, uses, root);
  if (inner.length < 2) return undefined;
  const steps = [...inner].sort((a, b) => a - b);
  const pairs = steps.map((node) => columns[node] as PairColumn);
  const leaves = [...new Set(pairs.flatMap(({ a, b }) => [a, b]))].filter(
    (node) => !steps.includes(node),
  );
  const place = (node: number) => {
    const leaf = leaves.indexOf(node);
    return leaf >= 0 ? leaf : leaves.length + steps.indexOf(node);
  };
  const tree = pairs.map(({ how, a, b }): TreeStep => ({ how, a: place(a), b: place(b) }));
  return { leaves, tree: { leaves: leaves.length, steps: tree } };
}

type PairColumn = Extract<SetColumn, { readonly op: 'pair' }>;

/** Nodes refer to earlier ones, so that in order of nodes operands come first and the root last. */
function innerPairs(
  columns: readonly SetColumn[],
  uses: readonly number[],
  root: number,
): readonly number[] {
  const found: number[] = [];
  const open = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const column = columns[node];
    const isInner = node === root || uses[node] === 1;
    if (column?.op !== 'pair' || !isInner || found.length === stepsMax) continue;
    found.push(node);
    open.push(column.a, column.b);
  }
  return found;
}
