// Rows that are parsed many at once, among rows that are not, against the row reader alone: the same
// rows, the same errors, wherever the input is cut. The row reader is alone where fields have a delimiter
// that is never parsed so, and where a column of objects is always missing.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BadInputRow } from '../../../engine/formats/read-input.ts';
import { readRows } from './reading.ts';

type Columns = readonly (readonly [string, string])[];

const columns: Columns = [
  ['at', 'UInt32'],
  ['tag', 'String'],
  ['id', 'UInt64'],
  ['small', 'Int16'],
  ['big', 'Int64'],
];

/** What stands in a row: mostly plain, now and then anything. */
function fields(plain: readonly string[], odd: readonly string[], oddOf: number) {
  return fc.oneof(
    { arbitrary: fc.constantFrom(...plain), weight: oddOf },
    { arbitrary: fc.constantFrom(...odd), weight: 1 },
  );
}

const oddNumbers = ['', ' 5', '5 ', '+5', '1.5', '1e3', '0x1', 'abc', '"5', '\\N', '-', 'null'];
const numbers = {
  at: ['0', '7', '007', '1700000000', '4294967295', '"12"'],
  atOdd: [...oddNumbers, '4294967296', '-1', '99999999999', '00000000000000000000007'],
  id: ['0', '12345678', '123456789012345678', '18446744073709551615', '"18446744073709551609"'],
  idOdd: [...oddNumbers, '18446744073709551616', '18446744073709551620', '184467440737095516150'],
  small: ['0', '-1', '32767', '-32768', '-0'],
  smallOdd: [...oddNumbers, '32768', '-32769', '"-5"'],
  big: ['5', '-5', '9223372036854775807', '-9223372036854775808', '1234567890123456'],
  bigOdd: [...oddNumbers, '9223372036854775808', '-9223372036854775809'],
};
const oddBare = [
  '',
  ' x',
  'x ',
  '\\N',
  '[1; 2',
  'x\ty',
  'a"b',
  '"a""b"',
  '"x" ',
  '"unclosed',
  '"x"y',
];
const texts = [
  'x',
  'tag00119',
  'é',
  '"quoted"',
  '""',
  '"with\nline"',
  '"sixteen bytes 16"',
  `"${'l'.repeat(60)}"`,
];

function delimited(oddOf: number) {
  return fc.record({
    fields: fc.tuple(
      fields(numbers.at, numbers.atOdd, oddOf),
      fields(texts, oddBare, oddOf),
      fields(numbers.id, numbers.idOdd, oddOf),
      fields(numbers.small, numbers.smallOdd, oddOf),
      fields(numbers.big, numbers.bigOdd, oddOf),
    ),
    end: fields(['\n', '\r\n'], ['#\n', '\n\n', ' \n', '\r', '#7\n', ''], oddOf),
  });
}

interface Outcome {
  readonly rows: readonly unknown[][];
  readonly bad: readonly BadInputRow[];
  readonly error: string | undefined;
}

async function outcome(reading: Parameters<typeof readRows>[0], skips: boolean): Promise<Outcome> {
  const bad: BadInputRow[] = [];
  const onBadRow = (row: BadInputRow) => bad.push(row);
  try {
    const rows = await readRows({ ...reading, ...(skips ? { onBadRow } : {}) });
    return { rows, bad, error: undefined };
  } catch (error) {
    return { rows: [], bad, error: String(error) };
  }
}

/** In messages delimiters are quoted. */
function withCommas(found: Outcome): Outcome {
  const plainly = (text: string) => text.replaceAll('~', ',');
  const bad = found.bad.map((row) => ({ ...row, reason: plainly(row.reason) }));
  return { ...found, bad, error: found.error && plainly(found.error) };
}

const chunk = fc.oneof(fc.constant(1 << 20), fc.integer({ min: 257, max: 2000 }), fc.constant(300));

test('delimited rows', { timeout: 120_000 }, async () => {
  const inputs = fc.constantFrom(10, 300, 10_000).chain((oddOf) =>
    fc.record({
      rows: fc.array(delimited(oddOf), { minLength: 20, maxLength: 300 }),
      isCut: fc.boolean(),
    }),
  );
  await fc.assert(
    fc.asyncProperty(inputs, chunk, fc.boolean(), async ({ rows, isCut }, size, skips) => {
      const text = (delimiter: string) => {
        const lines = rows.map(
          (row) => row.fields.join(delimiter) + row.end.replace('#', delimiter),
        );
        const all = lines.join('');
        return isCut ? all.trimEnd() : all;
      };
      const common = { format: 'CSV', columns, chunk: size };
      const alone = { ...common, data: text('~'), settings: { format_csv_delimiter: '~' } };
      const expected = withCommas(await outcome(alone, skips));
      expect(await outcome({ ...common, data: text(',') }, skips)).toEqual(expected);
    }),
    { numRuns: 150 },
  );
});

const oddJson = ['"a\\"b"', '"\\u00e9"', '5', 'null', '{"a":1}', '[1]', 'true', '"unclosed'];
const jsonTexts = ['"x"', '""', '"tag00119"', '"é, }"', `"${'l'.repeat(60)}"`];

function object(oddOf: number) {
  const one = (name: string, plain: readonly string[], odd: readonly string[]) =>
    fields(plain, odd, oddOf).map((value) => [name, value] as const);
  return fc.record({
    members: fc.tuple(
      one('at', numbers.at, numbers.atOdd),
      one('tag', jsonTexts, oddJson),
      one('id', numbers.id, numbers.idOdd),
      one('small', numbers.small, numbers.smallOdd),
      one('big', numbers.big, numbers.bigOdd),
    ),
    order: fields(['given'], ['turned', 'short', 'unknown', 'twice'], oddOf),
    colon: fc.constantFrom(':', ': ', ' :\t'),
    comma: fc.constantFrom(',', ', '),
    end: fields(['}\n', ' }\r\n', '},'], ['}', '\n', '};\n', ''], oddOf),
  });
}

type ObjectRow = ReturnType<typeof object> extends fc.Arbitrary<infer T> ? T : never;

function objectText({ members, order, colon, comma, end }: ObjectRow): string {
  const list: (readonly [string, string])[] = [...members];
  if (order === 'turned') list.reverse();
  if (order === 'short') list.pop();
  if (order === 'unknown') list.splice(1, 0, ['other', '[1,{"a":2}]']);
  if (order === 'twice') list.push(['at', '1']);
  return `{${list.map(([name, value]) => `"${name}"${colon}${value}`).join(comma)}${end}`;
}

test('objects', { timeout: 120_000 }, async () => {
  const inputs = fc
    .constantFrom(10, 300, 10_000)
    .chain((oddOf) => fc.array(object(oddOf), { minLength: 20, maxLength: 200 }));
  const isTurned = fc.boolean();
  await fc.assert(
    fc.asyncProperty(inputs, chunk, fc.boolean(), isTurned, async (rows, size, skips, turned) => {
      const all = rows.map((row) => ({
        ...row,
        order: turned && row.order === 'given' ? 'turned' : row.order,
      }));
      const data = all.map(objectText).join('');
      const common = { format: 'JSONEachRow', data, chunk: size };
      const missing: Columns = [...columns, ['missing', 'Nullable(UInt8)']];
      const found = await outcome({ ...common, columns: missing }, skips);
      const expected = { ...found, rows: found.rows.map((row) => row.slice(0, -1)) };
      expect(await outcome({ ...common, columns }, skips)).toEqual(expected);
    }),
    { numRuns: 150 },
  );
});

test('texts that come again long after others took their place', async () => {
  const tags = Array.from({ length: 30_000 }, (_, i) => `t${(i * 7919) % 6000}`);
  const data = tags.map((tag, i) => `${i},${tag},${i}\n`).join('');
  const rows = await readRows({ format: 'CSV', columns: columns.slice(0, 3), data });
  expect(rows.map(([, tag]) => tag)).toEqual(tags);
});

test('texts that stood in an odd row first', async () => {
  const line = (i: number) => `${i},new ${i >> 1},${i % 2 === 0 ? ' 7' : 7}\n`;
  const data = Array.from({ length: 400 }, (_, i) => line(i % 9 === 8 ? i : i | 1)).join('');
  const rows = await readRows({ format: 'CSV', columns: columns.slice(0, 3), data });
  expect(rows.map(([, tag]) => tag)).toEqual(rows.map(([at]) => `new ${(at as number) >> 1}`));
});

test('columns that no field gives', async () => {
  const data = `id,at\n${Array.from({ length: 500 }, (_, i) => `${i},${2 * i}\n`).join('')}`;
  const rows = await readRows({ format: 'CSVWithNames', columns: columns.slice(0, 3), data });
  expect(rows).toEqual(Array.from({ length: 500 }, (_, i) => [2 * i, '', BigInt(i)]));
});
