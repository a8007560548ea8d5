// Which chart a result gets, by shapes that questions about people have.

import { describe, expect, it } from 'vitest';
import { chooseChart, measuresOf, scaleGroups } from '../../console/chart-choice.ts';
import type { Cell, Result } from '../../console/result.ts';

const result = (columns: Readonly<Record<string, string>>, rows: readonly Cell[][]): Result => ({
  columns: Object.entries(columns).map(([name, type]) => ({ name, type })),
  rows,
});

const day = (n: number) => `2026-01-${String(n + 1).padStart(2, '0')}`;
const cohorts = result(
  { day: 'Date', later: 'Int64', size: 'UInt64', kept: 'UInt64', rate: 'Float64' },
  [0, 1, 2, 3].flatMap((d) => [1, 2, 3].map((n) => [day(d), n, '100', '50', 0.5 / n])),
);
const regions = result({ region: 'String', visitors: 'UInt64', payers: 'UInt64' }, [
  ['east', '90', '9'],
  ['west', '50', '7'],
]);
const daily = result(
  { dt: 'Date', event: 'LowCardinality(String)', people: 'UInt64' },
  [0, 1, 2].flatMap((d) => ['open', 'pay'].map((event) => [day(d), event, '5'])),
);
const funnel = result({ saw: 'UInt64', reacted: 'UInt64', rate: 'Float64' }, [['9', '3', 0.3]]);

describe('the automatic choice', () => {
  it('cohorts by day: a matrix of the rate', () => {
    expect(chooseChart(cohorts)).toEqual({ kind: 'matrix', down: 0, across: 1, value: 4 });
  });

  it('a word and numbers: bars', () => {
    expect(chooseChart(regions)).toEqual({ kind: 'bars', labels: [0], measures: [1, 2] });
  });

  it('one row of numbers: bars of its whole numbers', () => {
    expect(chooseChart(funnel)).toEqual({ kind: 'bars', labels: [], measures: [0, 1] });
  });

  it('days and numbers: lines; days, a word and a number: a line for each word', () => {
    const days = result({ n: 'UInt64', dt: 'Date' }, [
      ['1', day(0)],
      ['2', day(1)],
    ]);
    expect(chooseChart(days)).toEqual({ kind: 'lines', x: 1, series: undefined, measures: [0] });
    expect(chooseChart(daily)).toEqual({ kind: 'lines', x: 0, series: 1, measures: [2] });
  });

  it('ascending numbers: lines; numbers in disorder: bars', () => {
    const numbers = (first: readonly number[]) =>
      result(
        { x: 'UInt8', y: 'Float64' },
        first.map((x) => [x, x / 2]),
      );
    expect(chooseChart(numbers([1, 2, 10]))?.kind).toBe('lines');
    expect(chooseChart(numbers([2, 1, 10]))?.kind).toBe('bars');
  });

  it('two words in pairs: a matrix when most pairs are there, else bars of both', () => {
    const pairs = (rows: readonly Cell[][]) =>
      result({ a: 'String', b: 'String', n: 'UInt64' }, rows);
    const full = pairs(['x', 'y', 'z'].flatMap((a) => ['p', 'q'].map((b) => [a, b, '1'])));
    expect(chooseChart(full)).toEqual({ kind: 'matrix', down: 0, across: 1, value: 2 });
    const few = ['xp', 'xq', 'yq', 'zr', 'ws', 'vt'];
    const thin = pairs(few.map((pair) => [...pair.split(''), '1']));
    expect(chooseChart(thin)).toEqual({ kind: 'bars', labels: [0, 1], measures: [2] });
  });

  it('none without numbers, without rows, or for more bars than one can read', () => {
    expect(chooseChart(result({ a: 'String' }, [['x'], ['y']]))).toBeUndefined();
    expect(chooseChart(result({ a: 'String', n: 'UInt8' }, []))).toBeUndefined();
    expect(chooseChart(result({ n: 'UInt8' }, [[1]]))).toBeUndefined();
    const many = Array.from({ length: 61 }, (_, i): Cell[] => [`w${i}`, i]);
    const long = result({ word: 'String', n: 'UInt8' }, many);
    expect(chooseChart(long)).toBeUndefined();
    expect(chooseChart(long, { kind: 'bars', measure: undefined })?.kind).toBe('bars');
  });
});

describe('the reader’s choice', () => {
  it('of a kind, where it fits', () => {
    expect(chooseChart(daily, { kind: 'matrix', measure: undefined })).toEqual({
      kind: 'matrix',
      down: 0,
      across: 1,
      value: 2,
    });
    expect(chooseChart(regions, { kind: 'lines', measure: undefined })).toBeUndefined();
  });

  it('of one measure', () => {
    expect(chooseChart(cohorts, { kind: undefined, measure: 3 })).toMatchObject({ value: 3 });
    expect(chooseChart(regions, { kind: 'bars', measure: 2 })).toMatchObject({ measures: [2] });
    expect(measuresOf(cohorts, { kind: 'matrix', down: 0, across: 1, value: 4 })).toEqual([
      2, 3, 4,
    ]);
  });
});

it('measures of very different size share no axis', () => {
  const mixed = result({ n: 'UInt64', rate: 'Float64', m: 'UInt64' }, [
    ['5000', 0.2, '900'],
    ['7000', 0.9, '100'],
  ]);
  expect(scaleGroups(mixed, [0, 1, 2])).toEqual([[0, 2], [1]]);
});
