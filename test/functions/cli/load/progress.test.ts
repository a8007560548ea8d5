import { expect, test } from 'vitest';
import { Progress } from '../../../../functions/cli/load/progress.ts';

function progress(isTTY: boolean, bytesTotal: number | undefined) {
  const written: string[] = [];
  let now = 0;
  const stream = {
    isTTY,
    columns: 80,
    write: (text: string | Uint8Array) => written.push(String(text)) > 0,
  };
  const shown = new Progress({ stream, bytesTotal, clock: { monotonic: () => now } });
  const step = (ms: number): void => {
    now += ms;
    shown.read(1_000_000);
    shown.rows(10_000, 'a.csv');
  };
  return { shown, written, step };
}

test('plain lines every few seconds, with rows, rate, bytes and what is left', () => {
  const { written, step } = progress(false, 10_000_000);
  for (let i = 0; i < 4; i++) step(1000);
  expect(written).toEqual([
    'a.csv: 30 %, 30,000 rows, 10,000 rows/s, 3.0 MB, 1.0 MB/s, 7 s left\n',
  ]);
});

test('one moving line at a terminal, which goes away', () => {
  const { shown, written, step } = progress(true, undefined);
  step(50);
  expect(written).toEqual([]);
  step(100);
  expect(written[0]).toMatch(/K?a\.csv: 20,000 rows, .*\/s$/);
  expect(written[0]?.startsWith('\r\u001b[Ka.csv')).toBe(true);
  expect(written[0]).not.toMatch(/left|%/);
  shown.clear();
  shown.clear();
  expect(written.slice(1)).toEqual(['\r\u001b[K']);
});
