// Statements from an argument, a file or a pipe, one after another; the first that fails ends them. Small
// inserts into one table are stored together (insert-runs.ts).

import { StatementError, textOf } from '../connection/connection.ts';
import { exitCodes, SilentExit } from '../exit-codes.ts';
import { print, say, shown } from '../terminal.ts';
import { errorReport } from './error-report.ts';
import { insertRuns } from './insert-runs.ts';
import type { Session } from './session.ts';
import { type SplitStatement, splitStatements } from './statement-splitter.ts';

interface ScriptOptions {
  readonly format: string;
  /** Name of the file for messages; absent: an argument. */
  readonly source?: string;
  /** Data for an INSERT ... FORMAT that has none of its own. */
  readonly data?: AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
}

/** Throws SilentExit after a failure, which it has told about. */
export async function runScript(
  session: Session,
  text: string,
  options: ScriptOptions,
): Promise<void> {
  const { statements, rest } = splitStatements(text);
  const all = rest === undefined ? statements : [...statements, rest];
  let data = options.data;
  for (const { statements: some, together } of insertRuns(all, session.settings)) {
    if (together !== undefined && (await storedTogether(session, together, options))) continue;
    for (const statement of some) {
      const body = statement.wantsData ? data : undefined;
      if (body !== undefined) data = undefined;
      await run(session, statement, body === undefined ? options : { ...options, body });
    }
  }
}

/** False: refused, with nothing stored. What is wrong is said of the statement that has it. */
async function storedTogether(
  session: Session,
  { text }: SplitStatement,
  { format, signal }: ScriptOptions,
): Promise<boolean> {
  try {
    await textOf(await session.execute({ text, format, signal }));
    return true;
  } catch (error) {
    if (signal.aborted) throw new SilentExit(exitCodes.interrupted);
    const isDefinite =
      error instanceof StatementError && error.errorName !== 'UNKNOWN_STATUS_OF_INSERT';
    if (!isDefinite) throw error;
    return false;
  }
}

async function run(
  session: Session,
  statement: SplitStatement,
  options: ScriptOptions & { readonly body?: AsyncIterable<Uint8Array> },
): Promise<void> {
  const { signal, body, source } = options;
  const format = statement.vertical ? 'Vertical' : options.format;
  const question = { text: statement.text, format, signal };
  try {
    const answer = await session.execute(body === undefined ? question : { ...question, body });
    for await (const chunk of shown(answer.chunks)) await print(chunk);
  } catch (error) {
    if (signal.aborted) throw new SilentExit(exitCodes.interrupted);
    if (!(error instanceof StatementError)) throw error;
    const place = source === undefined ? undefined : { name: source, line: statement.line };
    say(errorReport(error, statement.text, place));
    throw new SilentExit(exitCodes.failed);
  }
}
