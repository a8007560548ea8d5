// Scripts of many small INSERT ... VALUES into one table, as dumps are: those that follow each other and
// begin alike are put together into one, which costs one commit instead of one each. A run that fails has
// stored nothing, and is then done statement by statement, so that what is stored and what is said is as
// if nothing had been put together.

import { tokensFrom } from '../../../engine/sql/lexer.ts';
import type { SplitStatement } from './statement-splitter.ts';

export interface StatementRun {
  /** In their order; more than one only where `together` says the same at once. */
  readonly statements: readonly SplitStatement[];
  readonly together?: SplitStatement;
}

/** Of what is put together, in characters. */
const runLengthMax = 4 * 1024 * 1024;

/** Statements in runs; with tokens, which make each insert one of its own, nothing is put together. */
export function insertRuns(statements: readonly SplitStatement[]): readonly StatementRun[] {
  const hasTokens = statements.some(({ text }) => /insert_deduplication_token/i.test(text));
  const runs: StatementRun[] = [];
  let open: OpenRun | undefined;
  for (const statement of statements) {
    const valuesAt = hasTokens ? undefined : valuesOf(statement);
    const head = valuesAt === undefined ? undefined : statement.text.slice(0, valuesAt);
    const { length } = statement.text;
    const joins = head !== undefined && open?.head === head;
    if (open !== undefined && joins && open.length + length <= runLengthMax) {
      open.statements.push(statement);
      open.length += length;
      continue;
    }
    if (open !== undefined) runs.push(closed(open));
    open = { head, statements: [statement], length };
  }
  if (open !== undefined) runs.push(closed(open));
  return runs;
}

interface OpenRun {
  /** Undefined: of no INSERT ... VALUES, and stays alone. */
  readonly head: string | undefined;
  readonly statements: SplitStatement[];
  length: number;
}

function closed({ head, statements }: OpenRun): StatementRun {
  const [first] = statements;
  if (head === undefined || first === undefined || statements.length === 1) return { statements };
  const values = statements.map(({ text }) => text.slice(head.length).trim());
  return { statements, together: { ...first, text: `${head} ${values.join(',\n')}` } };
}

/** Where the values of an INSERT ... VALUES begin. */
function valuesOf({ text, vertical }: SplitStatement): number | undefined {
  if (vertical || !/^INSERT\b/i.test(text)) return undefined;
  for (const { key, end, kind } of tokensFrom(text)) {
    if (key === 'VALUES') return end;
    if (kind === 'end' || kind === 'error' || key === 'SELECT' || key === 'FORMAT')
      return undefined;
  }
  return undefined;
}
