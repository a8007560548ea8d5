// What formats-output.test.ts can't compare with ClickHouse: chunks, names, refusals, sets in
// formats for people.

import { expect, test } from 'vitest';
import { formatResult, outputFormat } from '../../../engine/formats/output.ts';
import { encodeState } from '../../../storage-format/clickhouse-state.ts';
import { parseType } from '../../../storage-format/data-type-parser.ts';

const statistics = {
  elapsedNs: 1_500_000,
  readRows: 7,
  readBytes: 56,
  writtenRows: 0,
  writtenBytes: 0,
  resultRows: 2,
  dispatches: 1,
};
const state = Buffer.from(encodeState(BigUint64Array.of(1n, 5n), 'UInt64')).toString('latin1');
const answer = {
  columns: [
    { name: 'n', type: parseType('UInt64') },
    { name: 's', type: parseType('AggregateFunction(groupBitmap, UInt64)') },
  ],
  block: {
    rows: 2,
    columns: [
      { kind: 'wide', values: BigUint64Array.of(1n, 2n ** 63n) },
      { kind: 'string', values: [state, state] },
    ],
  },
} as const;

function text(format: string, settings: Readonly<Record<string, string>> = {}): string {
  const options = { settings: new Map(Object.entries(settings)), statistics, rowsBeforeLimit: 9 };
  return Buffer.concat([...formatResult(format, answer, options)]).toString('utf8');
}

test('documents say what was read', () => {
  const document = JSON.parse(text('JSON', { output_format_json_quote_64bit_integers: '1' }));
  expect(document.rows_before_limit_at_least).toBe(9);
  expect(document.statistics).toEqual({ elapsed: 0.0015, rows_read: 7, bytes_read: 56 });
  expect(document.data[1].n).toBe('9223372036854775808');
});

test('formats for people print the size of a set', () => {
  expect(text('Vertical')).toBe(
    'Row 1:\n──────\nn: 1\ns: set of 2\n\nRow 2:\n──────\nn: 9223372036854775808\ns: set of 2\n',
  );
  expect(text('PrettyCompact')).toBe(
    [
      '   ┌───────────────────n─┬─s────────┐',
      '1. │                   1 │ set of 2 │',
      '2. │ 9223372036854775808 │ set of 2 │',
      '   └─────────────────────┴──────────┘',
      '',
    ].join('\n'),
  );
});

test('names, aliases and content types', () => {
  expect(outputFormat('TSVWithNames').name).toBe('TabSeparatedWithNames');
  expect(outputFormat('CSVWithNames').contentType).toMatch(/header=present/);
  expect(() => outputFormat('Nope')).toThrow(/Unknown format Nope/);
  expect(() => outputFormat('jsoneachrow')).toThrow(/Maybe you meant: \['JSONEachRow'\]/);
});

test('settings that would change the answer are refused before the first chunk', () => {
  expect(() => text('CSV', { output_format_csv_crlf_end_of_line: '1' })).toThrow(/not supported/);
  expect(text('CSV', { output_format_csv_crlf_end_of_line: '0' })).toMatch(/^1,/);
  const nbsp = 'output_format_pretty_use_nbsp_for_padding';
  expect(() => text('Pretty', { [nbsp]: '1' })).toThrow(/not supported/);
  expect(text('Pretty', { [nbsp]: '0', output_format_pretty_squash_max_wait_ms: '5' })).not.toBe(
    '',
  );
  expect(() => text('TSV', { date_time_output_format: 'x' })).toThrow(/'simple'/);
});

test('long answers come in chunks, a few rows in one', () => {
  const rows = 50_000;
  const values = Uint32Array.from({ length: rows }, (_, i) => i);
  const long = {
    columns: [{ name: 'n', type: parseType('UInt32') }],
    block: { rows, columns: [{ kind: 'number', values }] },
  } as const;
  const chunks = [...formatResult('TSV', long, { settings: new Map(), statistics })];
  expect(chunks.length).toBeGreaterThan(3);
  for (const chunk of chunks) expect(chunk.length).toBeLessThan(70_000);
  expect([...formatResult('TSV', answer, { settings: new Map(), statistics })].length).toBe(1);
});
