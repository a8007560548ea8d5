// Where in a statement an error of the server points: `(line 2, col 7)`, or ClickHouse's `failed at
// position 8`, both from 1, or the quoted name of something unknown.

export interface TextSpan {
  readonly from: number;
  readonly to: number;
}

/** Offsets into `statement`, never empty unless the statement is; undefined: no place is named. */
export function errorSpan(message: string, statement: string): TextSpan | undefined {
  const offset = offsetOf(message, statement);
  if (offset === undefined || offset > statement.length) return undefined;
  const word = /^(?:[\w$]+|'[^']*'?|"[^"]*"?|`[^`]*`?|[^])/u.exec(statement.slice(offset));
  if (word !== null) return { from: offset, to: offset + word[0].length };
  // The end of the statement is where something is missing: its last character stands for it.
  return { from: Math.max(0, offset - 1), to: offset };
}

function offsetOf(message: string, statement: string): number | undefined {
  const place = /\(line (\d+), col (\d+)\)/.exec(message);
  if (place !== null) {
    const lines = statement.split('\n').slice(0, Number(place[1]) - 1);
    const before = lines.reduce((sum, line) => sum + line.length + 1, 0);
    return before + Number(place[2]) - 1;
  }
  const position = /failed at position (\d+)/.exec(message);
  return position === null ? undefined : Number(position[1]) - 1;
}
