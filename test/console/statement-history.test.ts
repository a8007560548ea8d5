import { expect, it } from 'vitest';
import { StatementHistory } from '../../console/statement-history.ts';

function memory(first?: string) {
  let text = first ?? null;
  return { getItem: () => text, setItem: (_: string, next: string) => void (text = next) };
}

const entry = (statement: string) => ({ statement, at: '2026-01-05 10:00', outcome: '1 row' });

it('keeps each statement once, newest first, over visits', () => {
  const store = memory();
  const first = new StatementHistory(store);
  for (const statement of ['a', 'b', 'a']) first.add(entry(statement));
  const next = new StatementHistory(store);
  expect(next.entries.map(({ statement }) => statement)).toEqual(['a', 'b']);
  next.clear();
  expect(new StatementHistory(store).entries).toEqual([]);
});

it('is bounded, in number and in length', () => {
  const history = new StatementHistory(memory());
  for (let i = 0; i < 150; i++) history.add(entry(`SELECT ${i}`));
  history.add(entry('x'.repeat(20_001)));
  expect(history.entries.length).toBe(100);
  expect(history.entries[0]?.statement).toBe('SELECT 149');
});

it('takes a store that is broken, full or forbidden', () => {
  expect(new StatementHistory(memory('{"a"')).entries).toEqual([]);
  expect(new StatementHistory(memory('[1, {"statement": 2}]')).entries).toEqual([]);
  const refuse = (): never => {
    throw new Error('QuotaExceededError');
  };
  const history = new StatementHistory({ getItem: refuse, setItem: refuse });
  history.add(entry('a'));
  expect(history.entries.length).toBe(1);
});
