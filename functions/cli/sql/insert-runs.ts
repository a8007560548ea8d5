// Scripts of many small INSERT ... VALUES into one table, as dumps are: those that follow each other and
// begin alike are put together into one, which costs one commit instead of one each. A run that fails has
// stored nothing, and is then done statement by statement, so that what is stored and what is said is as
// if nothing had been put together.

import { tokensFrom } from '../../../engine/sql/lexer.ts';
import type { SplitStatement } from './statement-splitter.ts';

interface StatementRun {
  /** In their order; more than one only where `together` says the same at once. */
  readonly statements: readonly SplitStatement[];
  readonly together?: SplitStatement;
}

/** Of what is put together, in characters. */
const runLengthMax = 4 * 1024 * 1024;

const tokenSetting = 'insert_deduplication_token';

/**
 * Statements in runs. With tokens, in their text or in `settings` that hold before them, nothing is put
 * together: a token makes each insert one of its own.
 */
export function insertRuns(
  statements: readonly SplitStatement[],
  settings: ReadonlyMap<string, string>,
): readonly StatementRun[] {
  const hasTokens =
    settings.has(tokenSetting) || statements.some(({ text }) => text.includes(tokenSetting));
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

const otherInserts: ReadonlySet<string> = new Set(['SELECT', 'FORMAT', 'FUNCTION']);

/** Where the values of an INSERT INTO a table ... VALUES begin; each into a file is a file. */
function valuesOf({ text, vertical }: SplitStatement): number | undefined {
  if (vertical || !/^INSERT\b/i.test(text)) return undefined;
  for (const { key, end, kind } of tokensFrom(text)) {
    if (key === 'VALUES') return end;
    if (kind === 'end' || kind === 'error' || otherInserts.has(key)) return undefined;
  }
  return undefined;
}
