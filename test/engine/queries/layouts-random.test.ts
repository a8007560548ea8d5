// Random pipelines in several layouts: how data is cut never shows in an answer.

import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { answerOf, fillSession } from './corpus.ts';
import { pipeline } from './random-pipelines.ts';
import { Session } from './session.ts';

const layouts = [
  { groups: 1, rangesPerGroup: 1 },
  { groups: 2, rangesPerGroup: 1 },
  { groups: 3, rangesPerGroup: 3 },
  { groups: 7, rangesPerGroup: 3 },
];

const sessions: Session[] = [];

beforeAll(async () => {
  for (const { groups, rangesPerGroup } of layouts) {
    const session = await Session.open({ rangesPerGroup });
    await fillSession(session, groups, 'sparse');
    sessions.push(session);
  }
}, 60_000);

it('random pipelines answer alike in every layout', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(pipeline, async (sql) => {
      const answers = await Promise.all(sessions.map((session) => answerOf(session, { sql })));
      expect(new Set(answers).size, JSON.stringify({ sql, answers })).toBe(1);
      expect(answers[0], sql).not.toMatch(/^error/);
    }),
    { numRuns: 150, seed: 3 },
  );
});
