// Every format, cut into chunks of one byte up to all at once: same rows, same errors.

import { describe, expect, test } from 'vitest';
import { blockRowsMax, readInput } from '../../../engine/formats/read-input.ts';
import { encodeState } from '../../../storage-format/clickhouse-state.ts';
import { chunks, type Reading, readRows, valueAt } from './reading.ts';

const ab = [
  ['a', 'UInt8'],
  ['b', 'String'],
] as const;
const users = [
  ['tag', 'String'],
  ['users', 'AggregateFunction(groupBitmap, UInt64)'],
] as const;

async function expectRows(reading: Reading, rows: unknown[][]): Promise<void> {
  for (const chunk of [1, 2, 3, 7, 1 << 20]) {
    expect(await readRows({ ...reading, chunk }), `chunks of ${chunk}`).toEqual(rows);
  }
}

async function expectError(reading: Reading, code: number, message: RegExp): Promise<void> {
  for (const chunk of [1, 5, 1 << 20]) {
    const failure = readRows({ ...reading, chunk });
    await expect(failure, `chunks of ${chunk}`).rejects.toMatchObject({ code });
    await expect(readRows({ ...reading, chunk })).rejects.toThrow(message);
  }
}

describe('CSV', () => {
  const csv = (data: string) => ({ format: 'CSV', columns: ab, data });

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
    await expectRows({ format: 'CSVWithNames', columns: ab, data: '\ufeffb,a\nx,1\n' }, [[1, 'x']]);
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
      columns: ab,
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
    const typed = (data: string) => ({ format: 'CSVWithNamesAndTypes', columns: ab, data });
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
  const tsv = (data: string) => ({ format: 'TabSeparated', columns: ab, data });

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
    await expectRows({ format: 'TSVWithNames', columns: ab, data: 'b\ta\nx\t1\n' }, [[1, 'x']]);
    const typed = 'b\ta\nString\tUInt8\nx\t1\n';
    await expectRows({ format: 'TabSeparatedWithNamesAndTypes', columns: ab, data: typed }, [
      [1, 'x'],
    ]);
    await expectRows({ format: 'TSVRaw', columns: ab, data: '1\ta\\tb\n' }, [[1, 'a\\tb']]);
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

describe('JSON', () => {
  const json = (data: string, settings = {}) => ({
    format: 'JSONEachRow',
    columns: ab,
    data,
    settings,
  });

  test('rows with and without commas, an array around them, missing and unknown members', async () => {
    await expectRows(json('{"a":1,"b":"x"}\n{"b":5,"a":"2"},{"z":{"y":[1,"}"]}}{"a":null}\n'), [
      [1, 'x'],
      [2, '5'],
      [0, ''],
      [0, ''],
    ]);
    await expectRows(json(' [ {"a" : 1} , {"b":"y"} ] ;'), [
      [1, ''],
      [0, 'y'],
    ]);
    await expectRows(json(''), []);
    await expectRows(json('[]'), []);
  });

  test('strings are bytes', async () => {
    const bytes = (text: string) => Buffer.from(text).toString('latin1');
    await expectRows(json('{"b":"\\u00e9\\n\\"\\/é\\ud83d\\ude00"}'), [[0, bytes('é\n"/é😀')]]);
    await expectRows(json('{"b":[1,{"x":true}]}{"b":true}{"b":1.50}'), [
      [0, '[1,{"x":true}]'],
      [0, 'true'],
      [0, '1.50'],
    ]);
  });

  test('errors', async () => {
    await expectError(json('{"a":1}\n{"a":x}\n'), 27, /before: 'x}.*row 2; line 2, column 6/);
    await expectError(json('{"a":1}\n{"a":1,"a":2}\n'), 117, /Duplicate field.*a/);
    await expectError(json('{"a":1.0}'), 27, /'1.0' is not like UInt8/);
    await expectError(json('{"a":1'), 27, /at the end of input/);
    await expectError(json('[{"a":1}'), 27, /']' at the end of input/);
    await expectError(json('{"b":"x'), 26, /closing quote/);
    const strict = { input_format_skip_unknown_fields: '0' };
    await expectError(json('{"A":1}', strict), 117, /Unknown field.*: A.*Maybe you meant: \['a'\]/);
  });

  test('compact rows', async () => {
    const compact = (format: string, data: string) => ({ format, columns: ab, data });
    await expectRows(compact('JSONCompactEachRow', '[1,"x"]\n[2, "y"]'), [
      [1, 'x'],
      [2, 'y'],
    ]);
    const named = '["b","z","a"]\n["String","Int8","UInt8"]\n["x",[],1]';
    await expectRows(compact('JSONCompactEachRowWithNamesAndTypes', named), [[1, 'x']]);
    await expectError(compact('JSONCompactEachRow', '[1]'), 27, /expected ',' before: ']'/);
  });
});

describe('Values', () => {
  const values = (data: string) => ({ format: 'Values', columns: ab, data });

  test('literals', async () => {
    await expectRows(values(" (1,'x'),( '2' , 'y\\'z''s' )(3,NULL);"), [
      [1, 'x'],
      [2, "y'z's"],
      [3, ''],
    ]);
    await expectRows(values('(DEFAULT, DEFAULT)'), [[0, '']]);
  });

  test('expressions and mistakes', async () => {
    await expectError(values("(1,'x'),(toUInt8(2),'y')"), 48, /Expressions in VALUES.*row 2/);
    await expectError(values("(1,'x'),(2,'y'"), 27, /'\)' of the row/);
    await expectError(values("(1,'x"), 26, /closing quote/);
    await expectError(values("(1,'x',2)"), 27, /expected '\)'/);
  });
});

describe('bitmaps', () => {
  const ids = [0n, 2n ** 53n + 1n, 2n ** 63n, 2n ** 64n - 1n];

  test('JSON arrays are exact, NULL ids are ignored, duplicates collapse', async () => {
    const data = `{"tag":"x","users":[${ids.join(', ')}, null, 0, "${2n ** 63n}"]}{"tag":"y"}`;
    await expectRows({ format: 'JSONEachRow', columns: users, data }, [
      ['x', ids],
      ['y', []],
    ]);
    const over = `{"users":[${2n ** 64n}]}`;
    await expectError({ format: 'JSONEachRow', columns: users, data: over }, 321, /out of range/);
    const half = '{"users":[1.5]}';
    await expectError({ format: 'JSONEachRow', columns: users, data: half }, 27, /'1.5'/);
  });

  test('negative ids are sign-extended patterns', async () => {
    for (const type of ['Int8', 'Int32', 'Int64']) {
      const columns = [['u', `AggregateFunction(groupBitmap, ${type})`]] as const;
      await expectRows({ format: 'JSONEachRow', columns, data: '{"u":[-1,-5,7]}' }, [
        [[7n, 2n ** 64n - 5n, 2n ** 64n - 1n]],
      ]);
    }
  });

  test('string ids', async () => {
    const columns = [['u', 'AggregateFunction(groupBitmap, String)']] as const;
    await expectRows({ format: 'JSONEachRow', columns, data: '{"u":["b","a","b",null]}' }, [
      [['a', 'b']],
    ]);
  });

  test('as text of arrays and of values', async () => {
    const settings = { aggregate_function_input_format: 'array' };
    await expectRows({ format: 'TSV', columns: users, data: 'x\t[1,2,NULL]\n', settings }, [
      ['x', [1n, 2n]],
    ]);
    await expectRows({ format: 'CSV', columns: users, data: 'x,"[3]"\ny,[1,2]\nz,\n', settings }, [
      ['x', [3n]],
      ['y', [1n, 2n]],
      ['z', []],
    ]);
    const value = { aggregate_function_input_format: 'value' };
    await expectRows({ format: 'TSV', columns: users, data: 'x\t5\n', settings: value }, [
      ['x', [5n]],
    ]);
  });

  test('as states: raw in RowBinary, escaped in text', async () => {
    const state = encodeState(BigUint64Array.from(ids), 'UInt64');
    const many = encodeState(
      BigUint64Array.from({ length: 5000 }, (_, i) => BigInt(3 * i)),
      'UInt64',
    );
    const row = (bytes: Uint8Array) => Buffer.concat([Buffer.from([1, 0x78]), bytes]);
    const data = Buffer.concat([row(state), row(many)]);
    const rows = [
      ['x', ids],
      ['x', Array.from({ length: 5000 }, (_, i) => BigInt(3 * i))],
    ];
    await expectRows({ format: 'RowBinary', columns: users, data }, rows);
    const escaped = Buffer.from(state)
      .toString('latin1')
      .replaceAll('\\', '\\\\')
      .replaceAll('\0', '\\0')
      .replaceAll('\t', '\\t')
      .replaceAll('\n', '\\n');
    const text = Buffer.from(`x\t${escaped}\n`, 'latin1');
    await expectRows({ format: 'TSV', columns: users, data: text }, [['x', ids]]);
    const cut = data.subarray(0, data.length - 1);
    await expectError({ format: 'RowBinary', columns: users, data: cut }, 33, /row 2; byte/);
    const broken = Buffer.from([0, 7, 0]);
    await expectError({ format: 'RowBinary', columns: users, data: broken }, 117, /row 1/);
  });
});

test('RowBinary: widths, Nullable, arrays, headers', async () => {
  const columns = [
    ['a', 'Int16'],
    ['b', 'Nullable(UInt64)'],
    ['c', 'Array(Float32)'],
  ] as const;
  const row = [
    0xfe, 0xff, 0, 255, 255, 255, 255, 255, 255, 255, 255, 1, 0, 0, 0x80, 0x3f, 0, 0, 1, 0,
  ];
  await expectRows({ format: 'RowBinary', columns, data: Uint8Array.from(row) }, [
    [-2, 2n ** 64n - 1n, [1]],
    [0, null, []],
  ]);
  const named = [
    2,
    1,
    0x62,
    1,
    0x61,
    6,
    ...Buffer.from('String'),
    5,
    ...Buffer.from('UInt8'),
    1,
    0x78,
    7,
  ];
  const data = Uint8Array.from(named);
  await expectRows({ format: 'RowBinaryWithNamesAndTypes', columns: ab, data }, [[7, 'x']]);
});

test('unknown formats are named with the nearest one', async () => {
  const reading = { format: 'JSONEachrow', columns: ab, data: '' };
  await expectError(reading, 73, /Unknown format JSONEachrow\. Maybe you meant: \['JSONEachRow'\]/);
});

test('blocks are bounded by rows, and one long row does not read the window again and again', async () => {
  const rows = 2 * blockRowsMax + 5;
  const text = Array.from({ length: rows }, (_, i) => `${i % 256},v${i}\n`).join('');
  const options = {
    format: 'CSV',
    columns: [
      { name: 'a', type: { kind: 'UInt8' } },
      { name: 'b', type: { kind: 'String' } },
    ],
    body: chunks(Buffer.from(text), 10_007),
    settings: new Map<string, string>(),
  } as const;
  const sizes: number[] = [];
  let last: unknown;
  for await (const block of readInput(options)) {
    sizes.push(block.rows);
    last = valueAt(block.columns[1]!, block.rows - 1);
  }
  expect(sizes).toEqual([blockRowsMax, blockRowsMax, 5]);
  expect(last).toBe(`v${rows - 1}`);

  const ids = Array.from({ length: 300_000 }, (_, i) => 10_000_000 + 7 * i);
  const data = `{"tag":"x","users":[${ids.join(',')}]}`;
  const read = await readRows({ format: 'JSONEachRow', columns: users, data, chunk: 4096 });
  expect((read[0]![1] as bigint[]).length).toBe(ids.length);
});

test('a source that fails fails the reading, and is told when no more is wanted', async () => {
  let closed = false;
  async function* failing(): AsyncGenerator<Uint8Array> {
    try {
      yield Buffer.from('1,x\n2');
      throw new Error('the client is gone');
    } finally {
      closed = true;
    }
  }
  const columns = [{ name: 'a', type: { kind: 'UInt8' } }] as const;
  const options = { format: 'CSV', columns, body: failing(), settings: new Map() };
  await expect(async () => {
    for await (const block of readInput(options)) expect(block.rows).toBe(0);
  }).rejects.toThrow();
  expect(closed).toBe(true);
});
