import { expect, it } from 'vitest';
import { csvOf } from '../../console/csv.ts';

it('quotes words, leaves numbers bare and exact, writes NULL as ClickHouse does', () => {
  const result = {
    columns: [
      { name: 'a "word"', type: 'String' },
      { name: 'n', type: 'Nullable(UInt64)' },
      { name: 'list', type: 'Array(UInt8)' },
    ],
    rows: [
      ['x,"y"\nz', '18446744073709551615', [1, 2]],
      ['', null, []],
    ],
  };
  expect(csvOf(result)).toBe(
    '"a ""word""","n","list"\n"x,""y""\nz",18446744073709551615,"[1, 2]"\n"",\\N,"[]"\n',
  );
});
