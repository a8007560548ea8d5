// The list in CREATE TABLE's parentheses: columns with their types, PRIMARY KEY among them. Clauses
// that change stored values or rows (DEFAULT, TTL, CONSTRAINT, ...) are error 48 by their name.

import type { DataType } from '../../storage-format/data-type.ts';
import type { ColumnDefinition, Expression } from './ast.ts';
import { parseKey } from './create-parser.ts';
import type { TokenCursor } from './token-cursor.ts';
import { parseTypeText } from './type-text.ts';

interface ColumnList {
  readonly columns: readonly ColumnDefinition[];
  readonly primaryKey?: readonly Expression[];
}

const refusedClauses =
  'DEFAULT MATERIALIZED EPHEMERAL ALIAS AUTO_INCREMENT TTL STATISTICS COLLATE SETTINGS';
const refused: ReadonlySet<string> = new Set(refusedClauses.split(' '));

export function parseColumnList(cursor: TokenCursor): ColumnList {
  cursor.expect('(');
  const columns: ColumnDefinition[] = [];
  let primaryKey: readonly Expression[] | undefined;
  do {
    if (cursor.is(')') && columns.length > 0) break;
    refuseTableElement(cursor);
    if (cursor.areNext('PRIMARY', 'KEY')) {
      if (primaryKey !== undefined) throw cursor.fail();
      cursor.expect('PRIMARY', 'KEY');
      primaryKey = parseKey(cursor);
    } else {
      columns.push(parseColumn(cursor));
    }
  } while (cursor.take(','));
  cursor.expect(')');
  return primaryKey === undefined ? { columns } : { columns, primaryKey };
}

function refuseTableElement(cursor: TokenCursor): void {
  const { key } = cursor.token;
  if (!['INDEX', 'CONSTRAINT', 'PROJECTION', 'FOREIGN'].includes(key)) return;
  // A column may be called so: then a type and the end of the column follow.
  const after = cursor.peek(2);
  const column = key !== 'INDEX' && (after.key === ',' || after.key === ')');
  if (!column) throw cursor.unsupported(`${key} in CREATE TABLE`);
}

function parseColumn(cursor: TokenCursor): ColumnDefinition {
  const at = cursor.at;
  const name = cursor.expectName();
  refuseClause(cursor);
  let type = parseTypeText(cursor).type();
  for (;;) {
    if (cursor.take('NOT', 'NULL')) continue;
    if (cursor.take('NULL')) type = nullable(type);
    else if (cursor.take('COMMENT')) cursor.expectString();
    else if (cursor.take('CODEC')) skipParentheses(cursor);
    else break;
  }
  refuseClause(cursor);
  return { at, name, type };
}

function refuseClause(cursor: TokenCursor): void {
  const { key } = cursor.token;
  if (refused.has(key)) throw cursor.unsupported(`${key} of a column`);
  if (key === 'PRIMARY') throw cursor.unsupported('PRIMARY KEY of a column');
}

function nullable(type: DataType): DataType {
  return type.kind === 'Nullable' ? type : { kind: 'Nullable', inner: type };
}

function skipParentheses(cursor: TokenCursor): void {
  cursor.expect('(');
  for (let depth = 1; depth > 0; ) {
    const { kind, key } = cursor.token;
    if (kind === 'end' || kind === 'error' || key === ';') throw cursor.fail(')');
    if (key === '(') depth++;
    if (key === ')') depth--;
    cursor.advance();
  }
}
