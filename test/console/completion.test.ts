import { CompletionContext } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { describe, expect, it } from 'vitest';
import { completeSql } from '../../console/completion.ts';
import type { Schema } from '../../console/schema.ts';

const schema: Schema = {
  tables: [
    { database: 'ppl', name: 'daily', columns: [{ name: 'dt', type: 'Date' }] },
    { database: 'ppl', name: 'odd name', columns: [{ name: 'a b', type: 'String' }] },
    { database: 'default', name: 'visits', columns: [{ name: 'page', type: 'String' }] },
  ],
  functions: ['uniqExact'],
};

/** Labels offered where `|` stands; undefined: nothing is. */
function offered(marked: string): readonly string[] | undefined {
  const pos = marked.indexOf('|');
  const state = EditorState.create({ doc: marked.replace('|', '') });
  const found = completeSql(new CompletionContext(state, pos, false), schema);
  return found?.options.map(({ label }) => label);
}

describe('completion offers', () => {
  it('columns of the tables that this statement names, and no others', () => {
    const labels = offered('SELECT page FROM visits; SELECT d| FROM ppl.daily');
    expect(labels?.[0]).toBe('dt');
    expect(labels).not.toContain('page');
    expect(labels).toEqual(
      expect.arrayContaining(['ppl.daily', 'visits', 'ppl', 'uniqExact', 'SELECT']),
    );
  });

  it('behind a dot: tables of a database, columns of a table, of an alias', () => {
    expect(offered('SELECT 1 FROM ppl.|')).toEqual(['daily', '`odd name`']);
    expect(offered('SELECT visits.p| FROM visits')).toEqual(['page']);
    expect(offered('SELECT d.| FROM ppl.daily AS d')).toEqual(['dt']);
  });

  it('nothing in numbers, or where no word was begun', () => {
    expect(offered('SELECT 12|')).toBeUndefined();
    expect(offered('SELECT |')).toBeUndefined();
  });
});
