// INSERT, up to where its data begins. The data is not SQL: nothing after FORMAT's name or VALUES
// is looked at, except for the white space that separates it.

import type { Insert, Statement } from './ast.ts';
import { skipSpace } from './lexer.ts';
import { isQueryStart, parseQuery, startsQuery } from './query-parser.ts';
import { parseSettings } from './settings-parser.ts';
import { parseTableFunction, parseTableName } from './table-parser.ts';
import type { TokenCursor } from './token-cursor.ts';

export function parseInsert(cursor: TokenCursor): Statement {
  const at = cursor.advance().start;
  cursor.expect('INTO');
  if (cursor.is('TABLE') && isNameAhead(cursor)) cursor.advance();
  const isFunction = cursor.is('FUNCTION') && cursor.peek(1).kind === 'word';
  if (isFunction) cursor.advance();
  const name = parseTableName(cursor);
  const target = isFunction ? parseTableFunction(cursor, name) : undefined;
  const columns = cursor.is('(') && !startsQuery(cursor, 0) ? parseColumns(cursor) : undefined;
  if (cursor.areNext('PARTITION', 'BY')) throw cursor.unsupported('PARTITION BY of INSERT');
  if (cursor.areNext('FROM', 'INFILE')) throw cursor.unsupported('FROM INFILE');
  const settings = cursor.take('SETTINGS') ? parseSettings(cursor) : [];
  return {
    kind: 'insert',
    at,
    name,
    ...(target === undefined ? {} : { function: target.arguments }),
    ...(columns === undefined ? {} : { columns }),
    settings,
    source: parseSource(cursor),
  };
}

function isNameAhead(cursor: TokenCursor): boolean {
  const { kind, key } = cursor.peek(1);
  return (
    (kind === 'word' && key !== 'VALUES' && key !== 'FORMAT') || kind === 'quoted' || key === '{'
  );
}

function parseColumns(cursor: TokenCursor): string[] {
  cursor.expect('(');
  const columns: string[] = [];
  do {
    if (cursor.is('*') || cursor.areNext('COLUMNS', '(')) {
      throw cursor.unsupported('A pattern of columns in INSERT');
    }
    let column = cursor.expectName();
    while (cursor.take('.')) column += `.${cursor.expectName()}`;
    columns.push(column);
  } while (cursor.take(',') && !cursor.is(')'));
  cursor.expect(')');
  return columns;
}

function parseSource(cursor: TokenCursor): Insert['source'] {
  if (cursor.is('VALUES')) {
    const { end } = cursor.advance();
    return { kind: 'values', dataAt: skipSpace(cursor.text, end) };
  }
  if (cursor.take('FORMAT')) return { kind: 'format', ...parseDataFormat(cursor) };
  if (!isQueryStart(cursor)) throw cursor.fail('VALUES', 'FORMAT', 'SELECT', 'WITH');
  const query = parseQuery(cursor);
  if (!cursor.take('FORMAT')) return { kind: 'query', query, dataAt: cursor.text.length };
  if (cursor.sawInput) return { kind: 'query', query, ...parseDataFormat(cursor) };
  // Without input() a format would be that of the answer, which an INSERT has not.
  cursor.expectName();
  return { kind: 'query', query, dataAt: cursor.text.length };
}

/** The format's name; data begins after the line that it is on, or after the spaces behind it. */
function parseDataFormat(cursor: TokenCursor): {
  readonly format: string;
  readonly dataAt: number;
} {
  const format = cursor.expectName();
  const { text } = cursor;
  let dataAt = cursor.previous?.end ?? text.length;
  if (text[dataAt] === ';')
    throw cursor.fail('data: there is no semicolon before the data of INSERT');
  while (text[dataAt] === ' ' || text[dataAt] === '\t' || text[dataAt] === '\f') dataAt++;
  if (text[dataAt] === '\r') dataAt++;
  if (text[dataAt] === '\n') dataAt++;
  return { format, dataAt };
}
