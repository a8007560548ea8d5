// Rows of text that can't be read, left out and told: those before and behind them arrive, whatever the
// chunks, and each is called by its own number and column.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BadInputRow } from '../../../engine/formats/read-input.ts';
import { readRows } from './reading.ts';

interface Form {
  readonly format: string;
  readonly before?: string;
  readonly row: (id: string, text: string) => string;
  /** Each spoils one row alone. */
  readonly spoiled: readonly (readonly [line: string, column: string | undefined])[];
}

const forms: readonly Form[] = [
  {
    format: 'CSV',
    row: (id, text) => `${id},"${text.replaceAll('"', '""')}"\n`,
    spoiled: [
      ['x1,"a"\n', 'id'],
      ['1,"a",2,"b\nc"\n', undefined],
      ['1\n', 'id'],
      ['300,"two\nlines"\n', 'id'],
      ['1,"a" b\n', undefined],
    ],
  },
  {
    format: 'CSVWithNames',
    before: 'id,text\n',
    row: (id, text) => `${id},"${text.replaceAll('"', '""')}"\r\n`,
    spoiled: [['x,"a,\r\nb"\r\n', 'id']],
  },
  {
    format: 'TabSeparated',
    row: (id, text) =>
      `${id}\t${text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\t', '\\t')}\n`,
    spoiled: [
      ['-\ta\n', 'id'],
      ['1\ta\tb\n', undefined],
      ['1\n', 'id'],
    ],
  },
  {
    format: 'JSONEachRow',
    row: (id, text) => `{"id":${id},"text":${JSON.stringify(text)}}\n`,
    spoiled: [
      ['{"id":"x","text":"a"}\n', 'id'],
      ['{"id":1,"text":"a"\n', undefined],
      ['nonsense\n', undefined],
      ['{"id":[1],"text":"{}"}\n', 'id'],
    ],
  },
  {
    format: 'JSONCompactEachRow',
    row: (id, text) => `[${id},${JSON.stringify(text)}]\n`,
    spoiled: [
      ['["x","a"]\n', 'id'],
      ['[1\n', undefined],
    ],
  },
];

describe.each(forms)('bad rows of $format', ({ format, before = '', row, spoiled }) => {
  const columns = [
    ['id', 'UInt8'],
    ['text', 'String'],
  ] as const;
  const good = fc.record({
    id: fc.nat(255),
    text: fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\t', '\\', '{', ']', ' b') }),
  });
  const rows = fc.array(fc.oneof(good, fc.nat(spoiled.length - 1)), { maxLength: 12 });

  it('are left out, the others arrive', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 1, max: 40 }), async (all, chunk) => {
        const data =
          before +
          all
            .map((one) =>
              typeof one === 'number' ? spoiled[one]![0] : row(String(one.id), one.text),
            )
            .join('');
        const told: BadInputRow[] = [];
        const onBadRow = (bad: BadInputRow): void => void told.push(bad);
        const found = await readRows({ format, columns, data, chunk, onBadRow });
        const expected = all.filter((one) => typeof one !== 'number');
        expect(found).toEqual(expected.map(({ id, text }) => [id, text]));
        const bad = all.flatMap((one, i) => (typeof one === 'number' ? [[i + 1, one]] : []));
        expect(told.map((one) => one.row)).toEqual(bad.map(([number]) => number));
        told.forEach(({ column, reason }, i) => {
          const named = spoiled[bad[i]![1]!]![1];
          if (named !== undefined) expect(column).toBe(named);
          expect(reason).toContain(`row ${bad[i]![0]}`);
        });
      }),
    );
  });
});

describe('what is no row', () => {
  const columns = [['id', 'UInt8']] as const;
  const read = async (format: string, data: string | Uint8Array) => {
    const told: BadInputRow[] = [];
    const onBadRow = (bad: BadInputRow): void => void told.push(bad);
    const rows = await readRows({ format, columns, data, chunk: 3, onBadRow });
    return { rows: rows.map(([id]) => id), told: told.map(({ row }) => row) };
  };

  it('a quote that is never closed is one bad row', async () => {
    expect(await read('CSV', '1\n"2\n3\n4\n')).toEqual({ rows: [1, 3, 4], told: [2] });
  });

  it('inside of an array of JSON ends the input, as bytes do', async () => {
    await expect(read('JSONEachRow', '[{"id":1},{"id" 2},{"id":3}]')).rejects.toThrow(/row 2/);
    expect(await read('JSONEachRow', '[{"id":1},{"id":"x"},{"id":3}]')).toEqual({
      rows: [1, 3],
      told: [2],
    });
    await expect(read('RowBinaryWithNames', Uint8Array.of(1, 2, 105))).rejects.toThrow();
  });

  it('a broken header ends it too', async () => {
    await expect(read('CSVWithNames', '"id\n1\n')).rejects.toThrow();
  });
});
