// ALTER TABLE t DROP PARTITION p: the one ALTER there is.

import type { Statement } from './ast.ts';
import { parseExpression } from './expression-parser.ts';
import { parseTableName } from './table-parser.ts';
import type { TokenCursor } from './token-cursor.ts';

export function parseAlter(cursor: TokenCursor): Statement {
  const at = cursor.advance().start;
  if (!cursor.take('TABLE')) return { kind: 'unsupported', at, what: 'ALTER' };
  const name = parseTableName(cursor);
  if (cursor.areNext('ON', 'CLUSTER')) throw cursor.unsupported('ON CLUSTER');
  if (!cursor.take('DROP', 'PARTITION')) {
    return { kind: 'unsupported', at, what: `ALTER TABLE ... ${cursor.token.key}` };
  }
  if (cursor.take('ALL')) return { kind: 'drop-partition', at, name, partition: 'all' };
  if (cursor.is('ID') && cursor.peek(1).kind === 'string') {
    throw cursor.unsupported('DROP PARTITION ID');
  }
  const partition = parseExpression(cursor);
  if (cursor.is(',')) throw cursor.unsupported('Several changes in one ALTER');
  return { kind: 'drop-partition', at, name, partition };
}
