import { expect, it } from 'vitest';
import {
  bytesText,
  costJson,
  costText,
  dollarsText,
  noCost,
} from '../../../engine/cost/query-cost.ts';

it('prints as one line for people', () => {
  expect(costText(noCost)).toBe('no requests, $0');
  expect(
    costText({
      requests: { reads: 11, writes: 1, lists: 0, removes: 2 },
      bytesRead: 1_234_567,
      bytesWritten: 999,
      invocations: 8,
      hedged: 0,
      retried: 0,
      workerSeconds: 0.4,
      gbSeconds: 0.5,
      dollars: 0.000_012_345,
      workers: ['a', 'b'],
    }),
  ).toBe(
    '14 requests (11 reads, 1 write, 2 deletes), 1.23 MB read, 999 B written, ' +
      '8 invocations of 2 workers, 0.500 GB-seconds, $0.000012',
  );
});

it('prints as JSON that fits a header, whatever the number of workers', () => {
  const workers = Array.from({ length: 1000 }, (_, i) => `2026/12/01/[$LATEST]${i}`);
  const text = costJson({ ...noCost, dollars: 4e-7, workerSeconds: 0.1 + 0.2, workers });
  expect(JSON.parse(text)).toMatchObject({ dollars: 4e-7, worker_seconds: 0.3, workers: 1000 });
  expect(text.length).toBeLessThan(250);
  expect(text).toMatch(/^[\x20-\x7e]*$/);
});

it('prints sizes and sums with the digits that say something', () => {
  expect([0, 999, 1000, 999_994, 999_995, 2.5e12].map(bytesText)).toEqual([
    '0 B',
    '999 B',
    '1.00 kB',
    '999.99 kB',
    '1.00 MB',
    '2.50 TB',
  ]);
  expect([0, 4e-7, 0.000_05, 0.123, 1.5, 12].map(dollarsText)).toEqual([
    '$0',
    '$0.00000040',
    '$0.000050',
    '$0.12',
    '$1.50',
    '$12.00',
  ]);
});
