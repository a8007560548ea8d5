// The structure argument of input(): `'carrier String, month UInt8'`.

import type { NamedType } from '../../storage-format/data-type.ts';
import { parseColumnList } from '../sql/column-definition-parser.ts';
import { TokenCursor } from '../sql/token-cursor.ts';

export function parseStructure(text: string): readonly NamedType[] {
  const cursor = new TokenCursor(`(${text})`);
  const { columns } = parseColumnList(cursor);
  if (!cursor.atEnd()) throw cursor.fail('end of structure');
  return columns.map(({ name, type }) => ({ name, type }));
}
