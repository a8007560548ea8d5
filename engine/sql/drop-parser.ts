// DROP and TRUNCATE. SYNC changes nothing here, where a drop is one commit.

import type { Statement } from './ast.ts';
import { parseFormat } from './show-parser.ts';
import { parseTableName } from './table-parser.ts';
import type { TokenCursor } from './token-cursor.ts';

const otherDrops: ReadonlySet<string> = new Set(
  (
    'VIEW DICTIONARY TEMPORARY FUNCTION USER ROLE ROW POLICY QUOTA SETTINGS PROFILE NAMED INDEX ' +
    'RESOURCE WORKLOAD MASKING'
  ).split(' '),
);

export function parseDrop(cursor: TokenCursor): Statement {
  const at = cursor.advance().start;
  if (cursor.take('DATABASE')) {
    const ifExists = parseIfExists(cursor);
    const name = cursor.expectName();
    parseTail(cursor);
    return { kind: 'drop-database', at, ifExists, name };
  }
  if (cursor.take('TABLE')) {
    const ifExists = parseIfExists(cursor);
    const name = parseTableName(cursor);
    if (cursor.is(',')) throw cursor.unsupported('Several tables in one DROP');
    parseTail(cursor);
    return { kind: 'drop-table', at, ifExists, name };
  }
  if (!otherDrops.has(cursor.token.key)) throw cursor.fail();
  return { kind: 'unsupported', at, what: `DROP ${cursor.token.key}` };
}

export function parseTruncate(cursor: TokenCursor): Statement {
  const at = cursor.advance().start;
  const { key } = cursor.token;
  const many = key === 'DATABASE' || key === 'ALL' || key === 'TABLES';
  if (many && cursor.peek(1).kind === 'word') {
    return { kind: 'unsupported', at, what: `TRUNCATE ${key}` };
  }
  cursor.take('TABLE');
  const ifExists = parseIfExists(cursor);
  const name = parseTableName(cursor);
  parseTail(cursor);
  return { kind: 'truncate', at, ifExists, name };
}

function parseIfExists(cursor: TokenCursor): boolean {
  if (cursor.areNext('IF', 'EMPTY')) throw cursor.unsupported('IF EMPTY');
  return cursor.take('IF', 'EXISTS');
}

/** What may follow the name. The answer is empty in every format. */
function parseTail(cursor: TokenCursor): void {
  if (cursor.areNext('ON', 'CLUSTER')) throw cursor.unsupported('ON CLUSTER');
  if (!cursor.take('SYNC')) cursor.take('NO', 'DELAY');
  parseFormat(cursor);
  if (cursor.is('SETTINGS')) throw cursor.unsupported('SETTINGS of this statement');
}
