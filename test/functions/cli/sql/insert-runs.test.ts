// Which inserts of a script are put together, and what then is said at once.
import { expect, test } from 'vitest';
import { insertRuns } from '../../../../functions/cli/sql/insert-runs.ts';
import { splitStatements } from '../../../../functions/cli/sql/statement-splitter.ts';

const runsOf = (script: string, settings: ReadonlyMap<string, string> = new Map()) =>
  insertRuns(splitStatements(script).statements, settings).map(({ statements, together }) =>
    together === undefined
      ? statements.map(({ text }) => text)
      : [together.text, statements.length],
  );

test('inserts that follow each other and begin alike are one', () => {
  const script = `CREATE TABLE t (a UInt8, s String) ENGINE = MergeTree ORDER BY a;
INSERT INTO t VALUES (1, ';');
INSERT INTO t VALUES (2, 'VALUES'), (3, 'x');
INSERT INTO t VALUES(4, '');
INSERT INTO t (a) VALUES (5);
INSERT INTO t SELECT 6, 's';
INSERT INTO t VALUES (7, '');
SELECT 1;
INSERT INTO t VALUES (8, '');`;
  expect(runsOf(script)).toEqual([
    ['CREATE TABLE t (a UInt8, s String) ENGINE = MergeTree ORDER BY a'],
    ["INSERT INTO t VALUES (1, ';'),\n(2, 'VALUES'), (3, 'x'),\n(4, '')", 3],
    ['INSERT INTO t (a) VALUES (5)'],
    ["INSERT INTO t SELECT 6, 's'"],
    ["INSERT INTO t VALUES (7, '')"],
    ['SELECT 1'],
    ["INSERT INTO t VALUES (8, '')"],
  ]);
});

test('statements that ask nothing of each other stay alone: other settings, tokens, data in a format', () => {
  for (const script of [
    'INSERT INTO t SETTINGS async_insert = 1 VALUES (1); INSERT INTO t VALUES (1);',
    "SET insert_deduplication_token = 'a'; INSERT INTO t VALUES (1); INSERT INTO t VALUES (2);",
    "INSERT INTO FUNCTION file('a') VALUES (1); INSERT INTO FUNCTION file('a') VALUES (2);",
    'INSERT INTO t FORMAT Values (1);\nINSERT INTO t FORMAT Values (2);\n',
    'SELECT 1; SELECT 1;',
  ]) {
    for (const run of runsOf(script)) expect(run).toHaveLength(1);
  }
  const token = new Map([['insert_deduplication_token', 'a']]);
  expect(runsOf('INSERT INTO t VALUES (1); INSERT INTO t VALUES (2);', token)).toHaveLength(2);
});

test('a run is not endless', () => {
  const value = 'x'.repeat(1_000_000);
  const script = Array.from({ length: 10 }, () => `INSERT INTO t VALUES ('${value}');`).join('\n');
  expect(runsOf(script).map(([, count]) => count)).toEqual([4, 4, 2]);
});
