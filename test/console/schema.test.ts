import { describe, expect, it } from 'vitest';
import { identifier, schemaOf, tableReference, tablesNamed } from '../../console/schema.ts';

const columns = {
  columns: ['database', 'table', 'name', 'type'].map((name) => ({ name, type: 'String' })),
  rows: [
    ['default', 'visits', 'dt', 'Date'],
    ['default', 'visits', 'users', 'UInt64'],
    ['ppl', 'daily', 'dt', 'Date'],
    ['ppl', 'odd name', 'a`b', 'String'],
  ],
};
const functions = { columns: [{ name: 'name', type: 'String' }], rows: [['sum'], ['uniq']] };
const schema = schemaOf(columns, functions);

describe('the schema', () => {
  it('groups columns by table', () => {
    expect(schema.tables.map(({ name, columns: own }) => [name, own.length])).toEqual([
      ['visits', 2],
      ['daily', 1],
      ['odd name', 1],
    ]);
    expect(schema.functions).toEqual(['sum', 'uniq']);
  });

  it('names tables as statements do', () => {
    expect(schema.tables.map(tableReference)).toEqual(['visits', 'ppl.daily', 'ppl.`odd name`']);
    expect(identifier('a`b')).toBe('`a\\`b`');
  });

  it('finds the tables that a statement names', () => {
    const named = (statement: string) => tablesNamed(statement, schema).map(({ name }) => name);
    expect(named('SELECT x FROM visits JOIN ppl . daily')).toEqual(['visits', 'daily']);
    expect(named('SELECT daily FROM t')).toEqual([]);
  });
});
