// Where statements begin and end in a text that holds several, by ClickHouse's rules for strings,
// quoted names, comments and here-documents. Offsets are UTF-16, as the editor counts. A piece of
// white space and comments alone is no statement.

export interface StatementRange {
  /** First character that is neither white space nor comment. */
  readonly start: number;
  /** Behind the last such character; the semicolon is not part of it. */
  readonly end: number;
}

const skipped = /(?:\s+|--[^\n]*|#[!\s][^\n]*)/y;
const quoted = /'(?:[^'\\]|\\[^]|'')*'?|"(?:[^"\\]|\\[^]|"")*"?|`(?:[^`\\]|\\[^]|``)*`?/y;
const heredoc = /\$([A-Za-z_0-9]*)\$[^]*?\$\1\$/y;
const commentEdge = /\/\*|\*\//g;

/** In order, none empty. A string that is not closed reaches to the end. */
export function splitStatements(text: string): readonly StatementRange[] {
  const ranges: StatementRange[] = [];
  let start = -1;
  let end = 0;
  const finish = () => {
    if (start >= 0) ranges.push({ start, end });
    start = -1;
  };
  for (let at = 0; at < text.length; ) {
    const blank = blankEnd(text, at);
    if (blank > at) {
      at = blank;
    } else if (text[at] === ';') {
      finish();
      at++;
    } else {
      if (start < 0) start = at;
      at = tokenEnd(text, at);
      end = at;
    }
  }
  finish();
  return ranges;
}

/**
 * The statement that holds the cursor; between two, the one that ends on the cursor's line before
 * it, else the next, else the last. Undefined in a text without statements.
 */
export function statementAt(text: string, cursor: number): StatementRange | undefined {
  const ranges = splitStatements(text);
  const next = ranges.findIndex(({ end }) => cursor <= end);
  if (next === -1) return ranges.at(-1);
  const following = ranges[next];
  const before = ranges[next - 1];
  if (following === undefined || before === undefined || cursor >= following.start) {
    return following;
  }
  return text.slice(before.end, cursor).includes('\n') ? following : before;
}

/** What to run: the statements of the selection, cut to it, or the one under the cursor. */
export function statementsToRun(
  text: string,
  selection: { readonly from: number; readonly to: number },
): readonly StatementRange[] {
  const { from, to } = selection;
  if (from === to) {
    const found = statementAt(text, from);
    return found === undefined ? [] : [found];
  }
  return splitStatements(text.slice(from, to)).map(({ start, end }) => ({
    start: start + from,
    end: end + from,
  }));
}

function blankEnd(text: string, at: number): number {
  if (text.startsWith('/*', at)) return commentEnd(text, at);
  skipped.lastIndex = at;
  return skipped.test(text) ? skipped.lastIndex : at;
}

/** Comments nest. */
function commentEnd(text: string, start: number): number {
  commentEdge.lastIndex = start;
  let depth = 0;
  for (let edge = commentEdge.exec(text); edge !== null; edge = commentEdge.exec(text)) {
    depth += edge[0] === '/*' ? 1 : -1;
    if (depth === 0) return commentEdge.lastIndex;
  }
  return text.length;
}

function tokenEnd(text: string, at: number): number {
  for (const pattern of [quoted, heredoc]) {
    pattern.lastIndex = at;
    if (pattern.test(text)) return pattern.lastIndex;
  }
  return at + 1;
}
