// The layout test: every statement of the corpus, with 1, 2, 3 and 7 groups and 1 and 3 code ranges,
// on dense and on sparse data (many rows with fewer ids than slices), always through bytes: how data
// is cut never shows in an answer.

import { describe, expect, it } from 'vitest';
import { edgeQueries } from './edge-queries.ts';
import { Session } from './session.ts';
import { fill, setUp, usagePatterns } from './usage-patterns.ts';

const layouts = [
  { groups: 1, ranges: 1 },
  { groups: 1, ranges: 3 },
  { groups: 2, ranges: 1 },
  { groups: 3, ranges: 3 },
  { groups: 7, ranges: 1 },
  { groups: 7, ranges: 3 },
];

const data = [
  { name: 'dense', statements: fill(6000, 'intHash32(number) % 500') },
  { name: 'sparse', statements: fill(60, 'intHash32(number) * 4000000007') },
];

describe.each(data)('$name data answers alike in every layout', ({ statements }) => {
  it('usage patterns and edges', { timeout: 120_000 }, async () => {
    const expected = await answers(layouts[0]!, statements);
    for (const layout of layouts.slice(1)) {
      const found = await answers(layout, statements);
      for (const [sql, answer] of expected) {
        expect({ layout, sql, answer: found.get(sql) }).toEqual({ layout, sql, answer });
      }
    }
  });
});

async function answers(
  layout: (typeof layouts)[number],
  statements: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const session = await Session.open({ rangesPerGroup: layout.ranges });
  for (const statement of setUp) await session.run(withGroups(statement, layout.groups));
  for (const statement of statements) await session.run(statement);
  const found = new Map<string, string>();
  for (const { sql, parameters = {} } of usagePatterns) {
    found.set(sql, (await session.ask(sql, { parameters })).text);
  }
  for (const sql of edgeQueries) {
    const answer = await session.ask(sql).then(
      ({ text }) => text,
      (error: { code?: number }) => `error ${String(error.code)}`,
    );
    found.set(sql, answer);
  }
  return found;
}

function withGroups(statement: string, groups: number): string {
  return statement.includes('bm.tags')
    ? `${statement} SETTINGS muster_groups = ${groups}`
    : statement;
}
