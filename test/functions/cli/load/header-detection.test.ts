import { expect, test } from 'vitest';
import { detectHeader } from '../../../../functions/cli/load/header-detection.ts';

const columns = [
  { name: 'day', type: 'Date' },
  { name: 'uid', type: 'UInt64' },
  { name: 'name', type: 'String' },
];
const detect = (rows: readonly string[], mentioned?: string[], table = columns) => {
  const [first = [], ...others] = rows.map((row) => row.split(','));
  return detectHeader({ first, others }, table, mentioned && new Set(mentioned)).isHeader;
};

test('names of columns are a header, in any case, also when some are others', () => {
  expect(detect(['day,uid,name', '2026-01-01,1,a'])).toBe(true);
  expect(detect(['DAY,Uid,NAME'])).toBe(true);
  expect(detect(['day,uid,other', '2026-01-01,1,a'])).toBe(true);
});

test('a first row that fits the types is data', () => {
  expect(detect(['2026-01-01,1,day', '2026-01-02,2,b'])).toBe(false);
  expect(detect(['2026-01-01,1,a'])).toBe(false);
});

test('a first row that does not fit, above rows that do, is a header', () => {
  expect(detect(['date,user,who', '2026-01-01,1,a'])).toBe(true);
});

test('bad data are no header', () => {
  expect(detect(['x,1,a', 'y,2,b'])).toBe(false);
  expect(detect(['x,y,z'])).toBe(false);
  const texts = [{ name: 'a', type: 'String' }];
  expect(detect(['hello', 'world'], undefined, texts)).toBe(false);
});

test('with a SELECT, its words count, and what the rows look like', () => {
  expect(detect(['when,who', '1,2'], ['when', 'who'])).toBe(true);
  expect(detect(['t,u', '5,6'], ['x'])).toBe(true);
  expect(detect(['4,9', '5,6'], ['x'])).toBe(false);
});
