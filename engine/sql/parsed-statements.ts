// Statements that were parsed before, by their text: dashboards ask the same again and again, and to parse
// takes as long as to answer where an answer is at hand. Only queries without parameters are kept, for
// those stand in the tree. A tree that is kept is frozen: whoever changed it would change the next answer.

import { ByteLru } from '../../base/lru.ts';
import type { Statement } from './ast.ts';
import { parseStatement } from './statement-parser.ts';
import type { ParseOptions } from './token-cursor.ts';

const keptBytesMax = 4 * 1024 * 1024;
/** Longer ones are seldom asked twice. */
const textLengthMax = 16 * 1024;
/** Of a tree, about, for each character of its text. */
const bytesPerCharacter = 100;

export class ParsedStatements {
  readonly #kept = new ByteLru<Statement>(keptBytesMax);

  /** As `parseStatement`. `hasParameters`: values of {name:Type} came with the text. */
  parse(text: string, options: ParseOptions & { readonly hasParameters: boolean }): Statement {
    if (options.hasParameters || text.length > textLengthMax) return parseStatement(text, options);
    const known = this.#kept.get(text);
    if (known !== undefined) return known;
    const statement = parseStatement(text, options);
    if (statement.kind !== 'select') return statement;
    freeze(statement);
    this.#kept.set(text, statement, bytesPerCharacter * (text.length + 10));
    return statement;
  }
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
  if (Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
}
