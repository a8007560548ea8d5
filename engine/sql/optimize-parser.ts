// OPTIMIZE TABLE t [PARTITION p] [FINAL].

import { MusterError } from '../../base/errors.ts';
import type { Statement } from './ast.ts';
import { parseExpression } from './expression-parser.ts';
import { parseSettings } from './settings-parser.ts';
import { parseFormat } from './show-parser.ts';
import { parseTableName } from './table-parser.ts';
import type { TokenCursor } from './token-cursor.ts';

export function parseOptimize(cursor: TokenCursor): Statement {
  const at = cursor.advance().start;
  if (!cursor.take('TABLE')) throw cursor.fail('TABLE');
  const name = parseTableName(cursor);
  if (cursor.areNext('ON', 'CLUSTER')) throw cursor.unsupported('ON CLUSTER');
  const partition = cursor.take('PARTITION') ? { partition: parsePartition(cursor) } : {};
  const final = cursor.take('FINAL');
  for (const word of ['DEDUPLICATE', 'CLEANUP', 'DRY']) {
    if (cursor.is(word)) throw cursor.unsupported(`OPTIMIZE ... ${word}`);
  }
  parseFormat(cursor);
  const settings = cursor.take('SETTINGS') ? parseSettings(cursor) : [];
  return { kind: 'optimize', at, name, ...partition, final, settings };
}

function parsePartition(cursor: TokenCursor) {
  if (cursor.is('ALL')) {
    throw new MusterError('NOT_IMPLEMENTED', 'PARTITION ALL: leave PARTITION out for all of them');
  }
  if (cursor.is('ID') && cursor.peek(1).kind === 'string') {
    throw cursor.unsupported('PARTITION ID');
  }
  return parseExpression(cursor);
}
