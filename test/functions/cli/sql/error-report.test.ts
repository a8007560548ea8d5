import { expect, test } from 'vitest';
import { StatementError } from '../../../../functions/cli/connection/connection.ts';
import { errorReport } from '../../../../functions/cli/sql/error-report.ts';

const error = (message: string) =>
  new StatementError({ code: 46, errorName: 'UNKNOWN_FUNCTION', message });

test('a caret under the place that the error names', () => {
  expect(errorReport(error('Unknown function cont (line 2, col 3)'), 'SELECT\n\tx cont(1)')).toBe(
    ' x cont(1)\n  ^\nError: Unknown function cont. (UNKNOWN_FUNCTION, 46)\n',
  );
});

test('a file and its line', () => {
  const report = errorReport(error('no (line 2, col 1)'), 'SELECT\nx', { name: 'a.sql', line: 7 });
  expect(report).toContain('Error: a.sql:8: no. (UNKNOWN_FUNCTION, 46)');
});

test('the end of the text, wide characters, and places that are not there', () => {
  expect(errorReport(error('no (line 1, col 9)'), 'SELECT 1')).toContain('SELECT 1\n        ^\n');
  expect(errorReport(error('no (line 1, col 12)'), "SELECT '日本', x")).toContain(
    `${' '.repeat(13)}^`,
  );
  expect(errorReport(error('no (line 5, col 1)'), 'SELECT 1')).toBe(
    'Error: no (line 5, col 1). (UNKNOWN_FUNCTION, 46)\n',
  );
  expect(errorReport(error('no place'), 'SELECT 1')).toBe(
    'Error: no place. (UNKNOWN_FUNCTION, 46)\n',
  );
});

test('a long line is cut around the place', () => {
  const long = `SELECT ${'a, '.repeat(100)}bad, ${'b, '.repeat(100)}1`;
  const at = long.indexOf('bad');
  const [line = '', caret = ''] = errorReport(error(`no (line 1, col ${at + 1})`), long).split(
    '\n',
  );
  expect(line.length).toBeLessThanOrEqual(102);
  expect(line.slice(caret.indexOf('^')).startsWith('bad')).toBe(true);
  expect(line.startsWith('…') && line.endsWith('…')).toBe(true);
});
