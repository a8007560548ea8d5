import { expect, test } from 'vitest';
import { ProgressBar } from '../../../functions/demo/progress-bar.ts';

function bar(isTTY: boolean) {
  const written: string[] = [];
  let now = 0;
  const stream = { isTTY, write: (text: string | Uint8Array) => written.push(String(text)) > 0 };
  const shown = new ProgressBar('Loading', stream, { monotonic: () => now });
  return { shown, written, wait: (ms: number) => (now += ms) };
}

test('a bar at a terminal', () => {
  const { shown, written, wait } = bar(true);
  shown.at(0.1);
  wait(1000);
  shown.at(0.5);
  wait(1000);
  shown.end();
  expect(written).toEqual([
    `\r\u001b[KLoading [${'#'.repeat(15)}${'.'.repeat(15)}] 50 %, 1 s left`,
    '\r\u001b[K',
    'Loading: done in 2.0 s\n',
  ]);
});

test('lines elsewhere, without a sign that moves', () => {
  const { shown, written, wait } = bar(false);
  wait(1000);
  shown.at(0.1);
  wait(2000);
  shown.at(0.25);
  wait(3000);
  shown.at(1);
  shown.clear();
  shown.end();
  expect(written).toEqual([
    'Loading: 25 %, 9 s left\n',
    'Loading: 100 %\n',
    'Loading: done in 6.0 s\n',
  ]);
});
