// CSV and tab-separated text, cut into chunks of one byte up to all at once: same rows, same errors.

import { describe, test } from 'vitest';
import { expectError, expectRows, numberAndText } from './reading.ts';

describe('CSV', () => {
  const csv = (data: string) => ({ format: 'CSV', columns: numberAndText, data });

  test('bare and quoted fields, spaces around them, CR LF, no line end at the end', async () => {
    await expectRows(csv('1,x\r\n 2 , "q, ""w"""\r\n"3",line\n4,"two\nlines"'), [
      [1, 'x'],
      [2, 'q, "w"'],
      [3, 'line'],
      [4, 'two\nlines'],
    ]);
  });

  test('a byte order mark is skipped, also before a header', async () => {
    await expectRows(csv('\ufeff1,x\n'), [[1, 'x']]);
    await expectRows({ format: 'CSVWithNames', columns: numberAndText, data: '\ufeffb,a\nx,1\n' }, [
      [1, 'x'],
    ]);
  });

  test('nothing is the default or NULL, quoted nothing is the empty text', async () => {
    const columns = [
      ['a', 'Nullable(UInt8)'],
      ['b', 'Nullable(String)'],
      ['c', 'String'],
      ['d', 'UInt8'],
    ] as const;
    await expectRows({ format: 'CSV', columns, data: ',,,\n\\N,\\N,\\N,\\N\n1,"","",2\n' }, [
      [null, null, '', 0],
      [null, null, '', 0],
      [1, '', '', 2],
    ]);
  });

  test('headers reorder, omit and bring unknown columns', async () => {
    const named = (data: string, settings = {}) => ({
      format: 'CSVWithNames',
      columns: numberAndText,
      data,
      settings,
    });
    await expectRows(named('b,a\nx,1\n'), [[1, 'x']]);
    await expectRows(named('b\nx\n'), [[0, 'x']]);
    await expectRows(named('z,a,b\n9,1,x\n'), [[1, 'x']]);
    await expectRows(named(''), []);
    const strict = { input_format_skip_unknown_fields: '0' };
    await expectError(named('z,a\n9,1\n', strict), 117, /Unknown field.*'z' at position 0/);
    await expectError(named('a,a\n9,1\n'), 117, /Duplicate field.*: a/);
  });

  test('a first row of column names is a header even if nobody said so', async () => {
    await expectRows(csv('b,a\nx,1\n'), [[1, 'x']]);
  });

  test('a header of types must tell the truth', async () => {
    const typed = (data: string) => ({
      format: 'CSVWithNamesAndTypes',
      columns: numberAndText,
      data,
    });
    await expectRows(typed('a,b\nUInt8,String\n1,x\n'), [[1, 'x']]);
    await expectError(typed('a,b\nUInt16,String\n1,x\n'), 117, /must be UInt8, not UInt16/);
  });

  test('errors name row, line, column and field', async () => {
    const at = (place: string) => new RegExp(place.replaceAll(/[()]/g, '\\$&'));
    await expectError(
      csv('1,"a\nb"\nx1,c\n'),
      27,
      at("text 'x1' is not like UInt8: (at row 2; line 3, column 1; column 'a' UInt8)"),
    );
    await expectError(
      csv('1,x\n2\n3,y\n'),
      27,
      /expected ',' before: '\\n3.*has 1 fields, 2 are expected.*row 2; line 2/,
    );
    await expectError(csv('1,x\n2,y,z\n'), 117, /Expected end of line before: ',z.*row 2; line 2/);
    await expectError(csv('1,x\n2,"y\n'), 26, /closing quote.*row 2; line 2, column 3/);
    await expectError(csv('1,x\n256,y\n'), 321, /256 is out of range of type UInt8/);
    await expectError(csv('1,x\n-1,y\n'), 72, /must not contain '-'/);
    await expectError(csv('1.5,x\n'), 27, /text '1.5' is not like UInt8/);
  });

  test('lines are counted through an input of any length', async () => {
    const lines = Array.from({ length: 30_000 }, (_, i) => `${i % 200},${'x'.repeat(i % 23)}`);
    const data = [...lines, 'no,y', ''].join('\n');
    for (const chunk of [4_099, 65_536]) {
      await expectError({ ...csv(data), chunk }, 27, /at row 30001; line 30001, column 1/);
    }
  });

  test('the types', async () => {
    const columns = [
      ['i', 'Int64'],
      ['f', 'Float64'],
      ['t', 'Bool'],
      ['d', 'Date'],
      ['s', "DateTime('UTC')"],
      ['e', "Enum8('x' = -1, 'y' = 5)"],
      ['l', 'Array(Nullable(String))'],
      ['w', "DateTime64(3, 'Europe/Berlin')"],
    ] as const;
    const data =
      `-9223372036854775808,1e3,true,2020-01-02,2020-01-02 03:04:05,y,"['a',NULL,'it\\'s']",` +
      '2020-07-01 00:00:00.25\n5,nan,0,20200102,1577934245,-1,[],2020-01-01T00:00:00Z\n';
    await expectRows({ format: 'CSV', columns, data }, [
      [-(2n ** 63n), 1000, 1, 18263, 1577934245, 5, ['a', null, "it's"], 1593554400250n],
      [5n, Number.NaN, 0, 18263, 1577934245, -1, [], 1577836800000n],
    ]);
  });

  test('dates and times that are none', async () => {
    const one = (type: string, data: string) => ({
      format: 'CSV',
      columns: [['d', type]] as const,
      data,
    });
    await expectError(one('Date', '2021-02-29\n'), 38, /'2021-02-29' is not a Date/);
    await expectError(one('Date', '1969-12-31\n'), 38, /1969-12-31/);
    await expectError(one('DateTime', '2021-01-01 25:00:00\n'), 41, /25:00:00/);
    await expectError(
      one("Enum8('ab' = 1)", 'ac\n'),
      691,
      /'ac' for enum, maybe you meant: \['ab'/,
    );
  });

  test('an enum that is not given is its first member', async () => {
    const columns = [
      ['a', 'UInt8'],
      ['e', "Enum8('x' = 3, 'y' = -2)"],
    ] as const;
    await expectRows({ format: 'CSV', columns, data: '1,\n' }, [[1, -2]]);
  });

  test('another delimiter', async () => {
    const settings = { format_csv_delimiter: ';' };
    await expectRows({ ...csv('1;x,y\n'), settings }, [[1, 'x,y']]);
  });
});

describe('TabSeparated', () => {
  const tsv = (data: string) => ({ format: 'TabSeparated', columns: numberAndText, data });

  test('escapes, empty fields, NULL', async () => {
    await expectRows(tsv("1\tx\\ty\\x41\\\\\\q\\N\\'\n\t\n\\N\t\\N\n"), [
      [1, "x\tyA\\\\q'"],
      [0, ''],
      [0, ''],
    ]);
    const columns = [['a', 'Nullable(String)']] as const;
    await expectRows({ format: 'TSV', columns, data: '\\N\n\nx\n' }, [[null], [''], ['x']]);
  });

  test('CR LF where the first line has it, a plain byte elsewhere', async () => {
    await expectRows(tsv('1\tx\r\n2\ty\r\n'), [
      [1, 'x'],
      [2, 'y'],
    ]);
    await expectRows(tsv('1\tx\n2\ty\r\n'), [
      [1, 'x'],
      [2, 'y\r'],
    ]);
  });

  test('headers and aliases', async () => {
    await expectRows({ format: 'TSVWithNames', columns: numberAndText, data: 'b\ta\nx\t1\n' }, [
      [1, 'x'],
    ]);
    const typed = 'b\ta\nString\tUInt8\nx\t1\n';
    await expectRows(
      { format: 'TabSeparatedWithNamesAndTypes', columns: numberAndText, data: typed },
      [[1, 'x']],
    );
    await expectRows({ format: 'TSVRaw', columns: numberAndText, data: '1\ta\\tb\n' }, [
      [1, 'a\\tb'],
    ]);
  });

  test('errors', async () => {
    await expectError(
      tsv('1\tx\n2\n'),
      27,
      /expected '\\t' before: '\\n'.*row 2; line 2, column 2/,
    );
    await expectError(tsv('1\tx\ty\n'), 117, /Expected end of line/);
  });
});
