// `day Date, event String, uid UInt64`: columns as input() and --structure take them.

import { tokensFrom } from '../../../engine/sql/lexer.ts';
import type { Token } from '../../../engine/sql/token.ts';
import { UsageError } from '../exit-codes.ts';
import type { NamedColumn } from './column-types.ts';

export function columnsOfStructure(text: string): readonly NamedColumn[] {
  const columns: NamedColumn[] = [];
  let name: Token | undefined;
  let typeStart = 0;
  let depth = 0;
  for (const token of tokensFrom(text)) {
    if (token.key === '(') depth++;
    if (token.key === ')') depth--;
    const ends = token.kind === 'end' || (token.key === ',' && depth === 0);
    if (ends) {
      const type = text.slice(typeStart, token.start).trim();
      if (name === undefined || type === '') throw malformed(text);
      columns.push({ name: name.text, type });
      name = undefined;
    } else if (name === undefined) {
      if (token.kind !== 'word' && token.kind !== 'quoted') throw malformed(text);
      name = token;
      typeStart = token.end;
    }
  }
  return columns;
}

function malformed(text: string): UsageError {
  return new UsageError(`--structure is like 'day Date, event String, uid UInt64', not '${text}'.`);
}
