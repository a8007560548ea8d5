// What the editor offers while a word is written: columns of the tables that the statement names,
// tables, functions and keywords; after a dot, what stands behind it.

import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { identifier, type Schema, tableReference, tablesNamed } from './schema.ts';
import { keywords } from './sql-dialect.ts';
import { statementAt } from './statements.ts';

const boosts = { column: 3, table: 2, function: 1, keyword: 0 };

export function completeSql(context: CompletionContext, schema: Schema): CompletionResult | null {
  const text = context.state.doc.toString();
  const range = statementAt(text, context.pos);
  const statement = range === undefined ? '' : text.slice(range.start, range.end);
  const dotted = context.matchBefore(/\b[A-Za-z_]\w*\.\w*/);
  if (dotted !== null) {
    const [owner = ''] = dotted.text.split('.');
    const options = behindDot(owner, statement, schema);
    return { from: dotted.from + owner.length + 1, options, validFor: /^\w*$/ };
  }
  const word = context.matchBefore(/\w+/);
  if (word === null ? !context.explicit : /^\d/.test(word.text)) return null;
  return {
    from: word?.from ?? context.pos,
    options: openWords(statement, schema),
    validFor: /^\w*$/,
  };
}

/** Tables of a database, or columns of a table or of what `AS` calls one. */
function behindDot(owner: string, statement: string, schema: Schema): readonly Completion[] {
  const inDatabase = schema.tables.filter(({ database }) => database === owner);
  if (inDatabase.length > 0) {
    return inDatabase.map(({ name }) => ({ label: identifier(name), type: 'class' }));
  }
  const named = tablesNamed(statement, schema);
  const own = schema.tables.filter(({ name }) => name === owner);
  return columnsOf(own.length > 0 ? own : named);
}

function openWords(statement: string, schema: Schema): readonly Completion[] {
  const databases = [...new Set(schema.tables.map(({ database }) => database))];
  return [
    ...columnsOf(tablesNamed(statement, schema)),
    ...schema.tables.map((table) => ({
      label: tableReference(table),
      type: 'class',
      detail: 'table',
      boost: boosts.table,
    })),
    ...databases.map((name) => ({
      label: identifier(name),
      type: 'namespace',
      detail: 'database',
    })),
    ...schema.functions.map((name) => ({
      label: name,
      type: 'function',
      apply: `${name}(`,
      boost: boosts.function,
    })),
    ...keywords.map((label) => ({ label, type: 'keyword', boost: boosts.keyword })),
  ];
}

function columnsOf(tables: Schema['tables']): readonly Completion[] {
  const seen = new Map<string, Completion>();
  for (const { columns } of tables) {
    for (const { name, type } of columns) {
      const known = seen.get(name);
      if (known !== undefined) continue;
      const label = identifier(name);
      seen.set(name, { label, type: 'property', detail: type, boost: boosts.column });
    }
  }
  return [...seen.values()];
}
