import { expect, it } from 'vitest';
import { costMeasures, dollarsOf, summaryMeasures, timeMeasures } from '../../console/measures.ts';

it('the summary: what there is, zeros only where they say something', () => {
  const header = '{"read_rows":"0","read_bytes":"0","result_rows":"245","elapsed_ns":"12345678"}';
  expect(summaryMeasures(header)).toEqual([
    { label: 'Time in the server', text: '12.3 ms' },
    { label: 'Rows read', text: '0' },
    { label: 'Rows of the answer', text: '245' },
  ]);
  expect(summaryMeasures(null)).toEqual([]);
  expect(summaryMeasures('soon')).toEqual([]);
});

it('the cost: JSON of any shape, or any text', () => {
  const cost = {
    requests: { get: 1200, put: '0' },
    read_bytes: 182_344,
    billedMs: 12.5,
    gb_seconds: 0.000123456,
    dollars: 0.0000014449,
    region: 'eu-central-1',
  };
  expect(costMeasures(JSON.stringify(cost))).toEqual([
    { label: 'Requests get', text: '1,200' },
    { label: 'Read bytes', text: '182 KB' },
    { label: 'Billed time', text: '12.5 ms' },
    { label: 'GB-seconds', text: '0.0001235' },
    { label: 'Dollars', text: '$0.0000014' },
    { label: 'Region', text: 'eu-central-1' },
  ]);
  expect(costMeasures('3 requests')).toEqual([{ label: 'Cost', text: '3 requests' }]);
  expect(costMeasures(null)).toEqual([]);
  expect(dollarsOf(JSON.stringify(cost))).toBe('$0.0000014');
  expect(dollarsOf('3 requests')).toBeUndefined();
});

it('times', () => {
  expect(timeMeasures({ waitedMs: 3, totalMs: 1500 }).map(({ text }) => text)).toEqual([
    '3 ms',
    '1.5 s',
  ]);
});
