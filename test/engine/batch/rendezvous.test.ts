import { expect, test } from 'vitest';
import { rankedFor } from '../../../engine/batch/rendezvous.ts';

const keys = Array.from({ length: 3000 }, (_, i) => `5/1/${i}/0`);

function firstOf(key: string, names: readonly string[]): string | undefined {
  return names[rankedFor(key, names)[0] ?? -1];
}

test('every worker is ranked once, whatever the order of names', () => {
  const names = ['a', 'b', 'c', 'd'];
  for (const key of keys.slice(0, 50)) {
    expect(rankedFor(key, names).toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3]);
    expect(firstOf(key, names.toReversed())).toBe(firstOf(key, names));
  }
});

test('keys are shared out evenly, among numbers as among addresses', () => {
  for (const names of [
    ['0', '1'],
    ['0', '1', '2', '3', '4', '5', '6', '7'],
    ['http://10.0.0.1:8124', 'http://10.0.0.2:8124', 'http://10.0.0.3:8124'],
  ]) {
    const counts = names.map((name) => keys.filter((key) => firstOf(key, names) === name).length);
    for (const count of counts) {
      expect(Math.abs(count * names.length - keys.length)).toBeLessThan(keys.length * 0.2);
    }
  }
});

test('who leaves moves none but its own keys', () => {
  const names = ['a', 'b', 'c', 'd'];
  const fewer = ['a', 'c', 'd'];
  for (const key of keys) {
    const before = firstOf(key, names);
    if (before !== 'b') expect(firstOf(key, fewer)).toBe(before);
  }
});
