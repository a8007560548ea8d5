// Random pipelines against ClickHouse, in a layout of more slices than most sets have ids.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ClickHouseOracle } from '../../bench/clickhouse-oracle.ts';
import { answerOf, data, fillSession } from '../engine/queries/corpus.ts';
import { pipelineWithoutSubsets } from '../engine/queries/random-pipelines.ts';
import { Session } from '../engine/queries/session.ts';
import { setUp } from '../engine/queries/usage-patterns.ts';
import { toNineDigits } from '../nine-digits.ts';
import { testPackage } from './places.ts';

const oracle = ClickHouseOracle.open(testPackage);
let session: Session;

beforeAll(async () => {
  oracle.query('SET final = 1, do_not_merge_across_partitions_select_final = 1');
  for (const statement of [...setUp, ...data.sparse]) oracle.query(statement);
  session = await Session.open({ rangesPerGroup: 3 });
  await fillSession(session, 7, 'sparse');
}, 60_000);

afterAll(() => oracle.close());

it('random pipelines answer as ClickHouse does', { timeout: 300_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(pipelineWithoutSubsets, async (sql) => {
      expect(await answerOf(session, { sql }), sql).toBe(theirs(sql));
    }),
    { numRuns: 800, seed: 11 },
  );
});

function theirs(sql: string): string {
  try {
    return toNineDigits(oracle.query(sql).replace(/\n$/, ''));
  } catch (error) {
    return `error ${/Code: (\d+)/.exec(String(error))?.[1] ?? String(error)}`;
  }
}
