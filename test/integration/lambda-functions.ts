// Deployments to MiniStack for tests: the zips of `npm run bundle`, deployed as people deploy them, in
// a bucket and under names of their own.

import { randomBytes } from 'node:crypto';
import { DeleteFunctionCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import { readOptions } from '../../infra/deploy.mjs';
import { deploy, openLambda } from '../../infra/deployment.mjs';
import { planFunctions, readZips } from '../../infra/functions.mjs';

process.env.AWS_ACCESS_KEY_ID ??= 'test';
process.env.AWS_SECRET_ACCESS_KEY ??= 'test';

export type FunctionPlan = ReturnType<typeof planFunctions>[number];

/** MiniStack's address: Lambda's API, and an S3. */
export function lambdaEndpoint(): string {
  const endpoint = process.env.MUSTER_TEST_LAMBDA_ENDPOINT;
  if (endpoint !== undefined) return endpoint;
  throw new Error('MUSTER_TEST_LAMBDA_ENDPOINT is not set: npm test starts MiniStack and sets it');
}

/** Of the zips: Lambda's, where Lambda's Node runs (infra/node22.mjs). */
export const runtime = process.env.MUSTER_TEST_LAMBDA_RUNTIME ?? 'node22';

const role = 'arn:aws:iam::000000000000:role/muster';

interface DeploymentOptions {
  /** Whose S3 holds the tables. */
  readonly s3Endpoint: string;
  /** Lambda's API, elsewhere than `lambdaEndpoint()`. */
  readonly endpoint?: string;
  /** As of the command line. */
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Another store than one of its own. */
  readonly store?: string;
  /** What the functions shall be instead. */
  readonly change?: (plans: FunctionPlan[]) => FunctionPlan[];
}

export class Deployment {
  readonly store: string;
  readonly lambda: LambdaClient;
  readonly plans: readonly FunctionPlan[];
  readonly #urls: Readonly<Record<string, string>>;

  private constructor(
    made: Pick<Deployment, 'store' | 'lambda' | 'plans'> & {
      readonly urls: Readonly<Record<string, string>>;
    },
  ) {
    this.store = made.store;
    this.lambda = made.lambda;
    this.plans = made.plans;
    this.#urls = made.urls;
  }

  static async make(name: string, options: DeploymentOptions): Promise<Deployment> {
    const { s3Endpoint, endpoint = lambdaEndpoint(), change = (plans) => plans } = options;
    const own = `${name}-${randomBytes(4).toString('hex')}`;
    const store = options.store ?? `s3://${own}/tables`;
    await ensureBucket(s3Endpoint, store);
    const needed = ['--name', own, '--store', store, '--role', role, '--endpoint', endpoint];
    const places = ['--s3-endpoint', s3Endpoint, '--region', 'us-east-1', '--auth', 'none'];
    // Little work is spread, too: how far it goes is what these tests are about.
    const flags = [...needed, ...places, '--invocation-ms', '0', '--runtime', runtime];
    const read = readOptions([...flags, ...(options.flags ?? [])], options.environment ?? {});
    if (read === undefined) throw new Error('no options');
    const zips = readZips(['root', 'worker', 'branch', 'ingest', 'backfill'], read.runtime);
    const plans = change(planFunctions(read, zips));
    const lambda = openLambda(read);
    const urls = await deploy(lambda, plans, { ...read, say: () => {} });
    return new Deployment({ store, lambda, plans, urls });
  }

  url(kind: 'root' | 'ingest' = 'root'): string {
    return this.#urls[kind] ?? '';
  }

  /** The answer's text, also of an error. */
  async ask(
    sql: string,
    options: { readonly search?: string; readonly kind?: 'root' | 'ingest' } = {},
  ): Promise<{ readonly status: number; readonly headers: Headers; readonly text: string }> {
    const { search = '', kind } = options;
    const reply = await fetch(`${this.url(kind)}${search}`, { method: 'POST', body: sql });
    return { status: reply.status, headers: reply.headers, text: await reply.text() };
  }

  /** Throws where it fails. */
  async run(sql: string): Promise<string> {
    const { status, text } = await this.ask(sql);
    if (status === 200) return text;
    throw new Error(`${status}: ${text}`);
  }

  /** Ends the processes that ran the functions, too. */
  async remove(): Promise<void> {
    const names = this.plans.map(({ name }) => name);
    const remove = (name: string) =>
      this.lambda.send(new DeleteFunctionCommand({ FunctionName: name }));
    await Promise.all(names.map(remove));
    this.lambda.destroy();
  }
}

/** MiniStack counts reserved environments of what is called by its plain name alone. */
export function unpublished(plans: FunctionPlan[]): FunctionPlan[] {
  const worker = plans.find(({ kind }) => kind === 'worker')?.name ?? '';
  return plans.map((plan) => {
    const environment = { ...plan.environment, MUSTER_LAMBDA_FUNCTIONS: worker };
    return plan.kind === 'root' ? { ...plan, environment } : plan;
  });
}

async function ensureBucket(s3Endpoint: string, store: string): Promise<void> {
  const bucket = new URL(store).hostname;
  const reply = await fetch(`${s3Endpoint}/${bucket}`, { method: 'PUT' });
  if (!reply.ok && reply.status !== 409) throw new Error(`no bucket: ${await reply.text()}`);
}
