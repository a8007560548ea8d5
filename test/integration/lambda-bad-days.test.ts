// What goes wrong between a root and its worker functions, on MiniStack: each time one clear error with
// ClickHouse's code, in time, and through the root's URL.

import { readFileSync } from 'node:fs';
import { DeleteFunctionCommand, PutFunctionConcurrencyCommand } from '@aws-sdk/client-lambda';
import type { Plugin } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleFunction } from '../../infra/bundle.mjs';
import { zipOf } from '../../infra/zip.mjs';
import {
  Deployment,
  type FunctionPlan,
  lambdaEndpoint,
  runtime,
  unpublished,
} from './lambda-functions.ts';

const question =
  'SELECT seg, bitmapAndCardinality(u, u) FROM ' +
  '(SELECT seg, groupBitmapMergeState(users) AS u FROM t GROUP BY seg) ORDER BY seg';
const made: Deployment[] = [];
let good: Deployment;

/** A root over the tables of `good`, with workers of its own. */
async function rootWith(
  worker: Partial<FunctionPlan>,
  further = (plans: FunctionPlan[]) => plans,
): Promise<Deployment> {
  const change = (plans: FunctionPlan[]) =>
    further(plans)
      .filter(({ kind }) => kind === 'worker' || kind === 'root')
      .map((plan) => (plan.kind === 'worker' ? { ...plan, ...worker } : plan));
  const s3Endpoint = lambdaEndpoint();
  const store = good === undefined ? {} : { store: good.store };
  const functions = await Deployment.make('bad-days', { s3Endpoint, change, ...store });
  made.push(functions);
  return functions;
}

const workerOf = ({ plans }: Deployment) => plans.find(({ kind }) => kind === 'worker')?.name ?? '';

const handlerOf = (body: string) =>
  zipOf({ 'index.mjs': Buffer.from(`export const handler = async () => { ${body} };`) });

beforeAll(async () => {
  good = await rootWith({});
  await good.run(
    `CREATE TABLE t (seg String, users AggregateFunction(groupBitmap, UInt64))
     ENGINE = AggregatingMergeTree ORDER BY seg SETTINGS muster_groups = 2`,
  );
  await good.run("INSERT INTO t VALUES ('a', [1, 2, 3]), ('b', [3, 4])");
});

afterAll(async () => {
  await Promise.all(made.map((functions) => functions.remove()));
});

describe('a root', () => {
  it('answers on a good day', async () => {
    expect(await good.run(question)).toBe('a\t3\nb\t2\n');
  });

  it('says that a worker function is missing', async () => {
    const functions = await rootWith({});
    const name = workerOf(functions);
    await functions.lambda.send(new DeleteFunctionCommand({ FunctionName: name }));
    made.splice(made.indexOf(functions), 1);
    const { status, text } = await functions.ask(question);
    expect([status, text]).toEqual([503, expect.stringContaining('(NETWORK_ERROR)')]);
    expect(text).toContain(`There is no Lambda function '${name}:1' in this region and account`);
    const root = functions.plans.find(({ kind }) => kind === 'root')?.name ?? '';
    await functions.lambda.send(new DeleteFunctionCommand({ FunctionName: root }));
  });

  it('and workers of another version refuse each other', async () => {
    const zip = await bundleFunction('worker', { runtime, plugins: [otherFormat()] });
    const functions = await rootWith({ zip });
    const { status, text } = await functions.ask(question);
    expect([status, text]).toEqual([500, expect.stringContaining('(UNKNOWN_FORMAT_VERSION)')]);
    expect(text).toMatch(/Root and workers are of different versions.*Deploy both/);
  });

  it('says that it is throttled, and when to come again', async () => {
    const functions = await rootWith({}, unpublished);
    const throttle = { FunctionName: workerOf(functions), ReservedConcurrentExecutions: 0 };
    await functions.lambda.send(new PutFunctionConcurrencyCommand(throttle));
    const { status, headers, text } = await functions.ask(question, {
      search: '?max_execution_time=5',
    });
    expect([status, text]).toEqual([
      429,
      expect.stringContaining('Code: 202. DB::Exception: The workers are too busy'),
    ]);
    expect(headers.get('x-clickhouse-exception-code')).toBe('202');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('says that a worker ran out of its time', async () => {
    const zip = handlerOf('await new Promise((resolve) => setTimeout(resolve, 60_000))');
    const functions = await rootWith({ zip, timeoutSeconds: 1 });
    const { status, text } = await functions.ask(question);
    expect([status, text]).toEqual([408, expect.stringContaining('(TIMEOUT_EXCEEDED)')]);
    expect(text).toMatch(/ran into its own limit \(.*1\.00 seconds\): deploy it with a longer one/);
  });

  it('says that a worker failed twice, and how', async () => {
    const zip = handlerOf("throw new TypeError('no such luck')");
    const functions = await rootWith({ zip });
    const { status, text } = await functions.ask(question);
    expect([status, text]).toEqual([503, expect.stringContaining('(NETWORK_ERROR)')]);
    expect(text).toMatch(/no such luck.*twice for the same work/);
  });

  it('is told when what it calls is no worker', async () => {
    const functions = await rootWith({ zip: handlerOf('return { hello: 1 }') });
    const { status, text } = await functions.ask(question);
    expect([status, text]).toEqual([503, expect.stringContaining('does not answer as a worker')]);
  });

  it('says that its bucket is missing, and finds it when it is there', async () => {
    const store = `s3://late-${Date.now()}/tables`;
    const change = (plans: FunctionPlan[]) =>
      plans
        .filter(({ kind }) => kind === 'root')
        .map((plan) => ({ ...plan, environment: { ...plan.environment, MUSTER_STORE: store } }));
    const s3Endpoint = lambdaEndpoint();
    const functions = await Deployment.make('bad-days', { s3Endpoint, change });
    made.push(functions);
    const { status, text } = await functions.ask('SELECT 1');
    expect(status).toBeGreaterThanOrEqual(500);
    expect(text).toMatch(/there is no bucket late-\d+/);
    await fetch(`${s3Endpoint}/${new URL(store).hostname}`, { method: 'PUT' });
    expect(await functions.run('SELECT 1')).toBe('1\n');
  });
});

/** The same worker, speaking a batch format of another time. */
function otherFormat(): Plugin {
  return {
    name: 'other-format',
    setup: (builder) => {
      builder.onLoad({ filter: /engine\/batch\/batch\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, 'utf8');
        const changed = text.replace(/(export const batchFormat = )\d+/, '$1999');
        if (changed === text) throw new Error('the batch format is declared elsewhere');
        return { contents: changed, loader: 'ts' };
      });
    },
  };
}
