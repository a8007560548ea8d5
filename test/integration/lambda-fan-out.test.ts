// Real fan-out: root and workers as AWS Lambda functions, on Lambda's Node, each environment a process
// of its own; tables on MiniStack's S3 and on LocalStack's. The same answers as in one process.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { edgeQueries } from '../engine/queries/edge-queries.ts';
import { membershipQueries } from '../engine/queries/membership-queries.ts';
import { mistakeQueries } from '../engine/queries/mistake-queries.ts';
import { Session } from '../engine/queries/session.ts';
import { fill, inlined, setUp, usagePatterns } from '../engine/queries/usage-patterns.ts';
import { Deployment, lambdaEndpoint } from './lambda-functions.ts';
import { s3Endpoint } from './places.ts';

let session: Session;

beforeAll(async () => {
  session = await Session.open();
  for (const statement of [...setUp, ...fill()]) await session.run(statement);
});

const edges = [...edgeQueries, ...membershipQueries, ...Object.values(mistakeQueries).flat()];
/** What they ask is asked in full in one process; here the way is what counts. */
const others = edges.filter((_, i) => i % 4 === 0);

describe.each([
  ["MiniStack's S3", lambdaEndpoint, others],
  ["LocalStack's S3", s3Endpoint, []],
])('functions over %s', (_, endpoint, more) => {
  let functions: Deployment;

  beforeAll(async () => {
    functions = await Deployment.make('fan-out', { s3Endpoint: endpoint() });
    for (const statement of [...setUp, ...fill()]) await functions.run(statement);
  });

  afterAll(async () => functions?.remove());

  it('cost something themselves', async () => {
    const cost = costOf((await functions.ask('SELECT 1')).headers);
    expect(cost.invocations).toBe(0);
    expect(cost.gb_seconds).toBeGreaterThan(0);
  });

  it('answer as one process does', async () => {
    const different: unknown[] = [];
    for (const sql of [...usagePatterns.map(inlined), ...more]) {
      const expected = await session.ask(sql).then(
        ({ text }) => text,
        (error: { readonly code?: number }) => `error ${error.code}`,
      );
      const { status, text } = await functions.ask(sql, { search: '?database=bm' });
      const found = status === 200 ? text.replace(/\n$/, '') : `error ${codeOf(text)}`;
      if (found !== expected) different.push({ sql, expected, found });
    }
    expect(different).toEqual([]);
  });

  it('share a question of 16 slices out over 8 processes and more, which stay warm', async () => {
    await functions.run(
      `CREATE TABLE bm.wide (seg String, users AggregateFunction(groupBitmap, UInt64))
       ENGINE = AggregatingMergeTree ORDER BY seg
       SETTINGS muster_groups = 16, muster_dictionary = 'wide'`,
    );
    await functions.run(
      `INSERT INTO bm.wide SELECT toString(number % 5), groupBitmapState(intHash64(number))
       FROM numbers(20000) GROUP BY 1`,
    );
    const question = 'SELECT groupBitmapMerge(users) FROM bm.wide';
    const expected = '20000\n';
    const cold = await functions.ask(question);
    expect(cold.text).toBe(expected);
    const first = costOf(cold.headers);
    expect(first).toMatchObject({ invocations: 16 });
    expect(first.workers).toBeGreaterThanOrEqual(8);
    expect(first.gb_seconds).toBeGreaterThan(0);

    const trace = await functions.run(`EXPLAIN ANALYZE ${question}`);
    const named = trace.matchAll(/^fan-out-\w+-worker\/\w+\/(\d+) +\d+ /gm);
    const processes = Array.from(named, ([, process]) => process);
    expect(new Set(processes).size).toBe(processes.length);
    expect(processes.length).toBeGreaterThanOrEqual(2);
    const warm = await functions.ask(question);
    expect(warm.text).toBe(expected);
    // What a warm environment has read it keeps.
    expect(costOf(warm.headers).bytes_read).toBeLessThan(first.bytes_read);
  });
});

interface Cost {
  readonly invocations: number;
  readonly workers: number;
  readonly gb_seconds: number;
  readonly bytes_read: number;
}

function costOf(headers: Headers): Cost {
  return JSON.parse(headers.get('x-muster-cost') ?? '{}') as Cost;
}

function codeOf(text: string): string {
  return /Code: (\d+)/.exec(text)?.[1] ?? text;
}
