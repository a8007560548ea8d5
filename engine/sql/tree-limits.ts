// Limits on finished trees. The cursor bounds nesting while parsing; a long chain of operators
// still makes a deep tree (`1 + 1 + ...`), and BETWEEN repeats its operand, so that nested ones
// double the tree each time. Only statements with many tokens or BETWEENs are walked.

import { statementError } from './syntax-error.ts';
import type { TokenCursor } from './token-cursor.ts';

/** Nodes of a tree, each as often as it is reached; literals of a list count for nothing. */
const nodesMax = 500_000;
/** A tree's depth in objects and lists: about two levels for each operator of a chain. */
const levelsMax = 1000;
/** Each two levels take a token at least. */
const tokensUnchecked = levelsMax / 2;
const betweensUnchecked = 8;

export function checkTree(cursor: TokenCursor, root: object): void {
  const { tokenCount, betweens } = cursor;
  if (tokenCount <= tokensUnchecked && betweens <= betweensUnchecked) return;
  const values: object[] = [root];
  const levels: number[] = [0];
  for (let nodes = 0; ; nodes++) {
    const value = values.pop();
    const level = levels.pop() ?? 0;
    if (value === undefined) return;
    if (level > levelsMax) throw cursor.tooDeep();
    if (nodes > nodesMax) {
      const message = `The statement is too big. Maximum: ${nodesMax} nodes`;
      throw statementError('TOO_BIG_AST', cursor.text, { offset: 0, message });
    }
    for (const child of children(value)) {
      values.push(child);
      levels.push(level + 1);
    }
  }
}

function children(value: object): object[] {
  if ('kind' in value && value.kind === 'literal') return [];
  const found: object[] = [];
  for (const child of Object.values(value) as unknown[]) {
    if (typeof child === 'object' && child !== null) found.push(child);
  }
  return found;
}
