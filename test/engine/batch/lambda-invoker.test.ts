import { afterEach, expect, test } from 'vitest';
import { dispatch } from '../../../engine/batch/dispatch.ts';
import { LambdaInvoker } from '../../../engine/batch/lambda-invoker.ts';
import { slicesOf } from '../../../engine/batch/slices.ts';
import { MemoryStore } from '../../../object-store/memory-store.ts';
import { plainAnswer } from '../worker/naive-sets.ts';
import { makeWorld } from '../worker/world.ts';
import { FakeLambda, type LambdaFault } from './fake-lambda.ts';
import {
  contractWorld,
  expectRight,
  type FaultyCase,
  hourMs,
  invokerContract,
  JumpingClock,
  longQuestionOf,
  questionOf,
} from './invoker-contract.ts';

const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
const opened: FakeLambda[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

interface LambdaCase extends FaultyCase {
  readonly lambda: FakeLambda;
  readonly invoker: LambdaInvoker;
}

interface CaseOptions {
  readonly functions?: readonly string[];
  readonly deployed?: readonly string[];
  readonly concurrency?: number;
  readonly kept?: boolean;
}

async function open(options: CaseOptions = {}): Promise<LambdaCase> {
  const { functions = ['worker'], deployed = functions, concurrency = 8, kept = false } = options;
  const world = await contractWorld();
  const clock = new JumpingClock();
  const lambda = await FakeLambda.start(world.store, { functions: deployed, clock });
  if (!kept) opened.push(lambda);
  const endpoint = lambda.url;
  const place = { endpoint, region: 'us-east-1', credentials, clock };
  return { world, lambda, clock, invoker: new LambdaInvoker({ ...place, functions, concurrency }) };
}

async function faulty(arrange: (lambda: FakeLambda) => void): Promise<LambdaCase> {
  const one = await open();
  arrange(one.lambda);
  return one;
}

const throttle: LambdaFault = {
  fault: 'error',
  status: 429,
  type: 'TooManyRequestsException',
  message: 'Rate Exceeded.',
  retryAfter: 0,
};
const exit = { type: 'Runtime.ExitError', message: 'Runtime exited with error: signal: killed' };
const died: LambdaFault = { fault: 'function error', ...exit };

invokerContract('AWS Lambda', {
  open: () => open({ kept: true }),
  stops:
    'Lambda runs an invocation to its end whatever its caller does: the deadline in it ends the work',
  faults: {
    'a worker that dies over the work is replaced by another': () =>
      faulty((lambda) => lambda.next(died)),
    'work that kills two workers is not given to a third': () =>
      faulty((lambda) => lambda.always(died)),
    'a worker that never answers is waited for until the deadline': () =>
      faulty((lambda) => lambda.always({ fault: 'stall' })),
    'a worker that is too busy is asked again': () => faulty((lambda) => lambda.next(throttle)),
    'workers that stay too busy are an error before the deadline': () =>
      faulty((lambda) => lambda.always({ ...throttle, retryAfter: 1 })),
    'a reply that comes twice counts once': () =>
      faulty((lambda) => lambda.always({ fault: 'runs twice' })),
    'a reply to another question is never taken': async () => {
      const one = await open();
      return { ...one, strike: () => one.lambda.always({ fault: 'foreign' }) };
    },
    // Sockets break when they are used, and the clocks of both ends have gone on by an hour.
    'an environment that was frozen goes on': async () => {
      const one = await open();
      const strike = () => {
        one.lambda.makeStale();
        (one.clock as JumpingClock).jump(hourMs);
      };
      return { ...one, strike };
    },
  },
});

test('as many sockets as invocations, kept, and all dropped when one turns out to be stale', async () => {
  const one = await open({ concurrency: 6 });
  for (let i = 0; i < 3; i++) await expectRight(questionOf(one.world), one);
  expect(one.lambda.connections).toBeLessThanOrEqual(6);
  const before = one.lambda.connections;
  one.lambda.makeStale();
  for (let i = 0; i < 3; i++) await one.invoker.invoke(new Uint8Array(8));
  expect(one.lambda.connections - before).toBe(1);
  await one.invoker.close();
});

test.each([
  ['Lambda itself', { fault: 'error', status: 500, type: 'ServiceException' }],
  ['a proxy', { fault: 'error', status: 502, type: 'BadGateway' }],
  ['the network of a function', { fault: 'error', status: 502, type: 'EC2ThrottledException' }],
  ['network interfaces', { fault: 'error', status: 502, type: 'ENILimitReachedException' }],
  ['a function being updated', { fault: 'error', status: 409, type: 'ResourceConflictException' }],
  ['the way back', { fault: 'lost reply' }],
  ['a socket', { fault: 'reset' }],
] as const)('%s having trouble once is got over', async (_, fault) => {
  const one = await faulty((lambda) => lambda.next(fault));
  expect((await expectRight(questionOf(one.world), one)).retried).toBe(1);
  await one.invoker.close();
});

const functionError = { fault: 'function error' } as const;
test.each([
  [
    159,
    /ran into its own limit .*longer/,
    { ...functionError, type: 'Sandbox.Timedout', message: 'Task timed out after 3.00 seconds' },
  ],
  [
    210,
    /lambda:InvokeFunction on it \(User: x is not/,
    { fault: 'error', status: 403, type: 'AccessDeniedException', message: 'User: x is not' },
  ],
  [
    210,
    /does not take the root's credentials/,
    { fault: 'error', status: 403, type: 'ExpiredTokenException', message: 'expired' },
  ],
  [
    210,
    /signed by this machine's clock/,
    {
      fault: 'error',
      status: 403,
      type: 'InvalidSignatureException',
      message: 'Signature expired: 20261201T000000Z is now earlier than 20261201T001500Z',
    },
  ],
  [210, /twice for the same work/, died],
] as const)('what is set up wrongly is said: %i %s', async (code, message, fault) => {
  const one = await faulty((lambda) => lambda.always(fault));
  await expect(expectRight(questionOf(one.world), one)).rejects.toMatchObject({
    code,
    message: expect.stringMatching(message),
  });
  await one.invoker.close();
});

test('a function that is not there is named', async () => {
  const one = await open({ functions: ['worker', 'gone'], deployed: ['worker'] });
  const missing = { message: expect.stringMatching(/no Lambda function 'gone'.*deploy it/) };
  const asked = Promise.all(
    Array.from({ length: 16 }, (_, i) =>
      one.invoker.invoke(new Uint8Array(8), { affinity: `${i}` }),
    ),
  );
  await expect(asked).rejects.toMatchObject(missing);
  await one.invoker.close();
});

test('several functions share the slices, the same ones each time', async () => {
  const functions = ['a', 'b', 'c'];
  const one = await open({ functions });
  for (let i = 0; i < 12; i++) await one.invoker.invoke(new Uint8Array(8), { affinity: `${i}` });
  const first = one.lambda.invoked.splice(0);
  expect(new Set(first).size).toBe(3);
  for (let i = 0; i < 12; i++) await one.invoker.invoke(new Uint8Array(8), { affinity: `${i}` });
  expect(one.lambda.invoked).toEqual(first);
  await one.invoker.close();
});

test('batches and replies above 6 MB go by the store', async () => {
  const ids = Array.from({ length: 800_000 }, (_, i) => BigInt(i) * 3n);
  const settings = { domain: 'integer', groups: 1, commits: [ids] } as const;
  const world = await makeWorld(
    { ...settings, sources: [[[new Set(ids), new Set(ids.slice(7)), new Set()]]] },
    new MemoryStore(),
  );
  const lambda = await FakeLambda.start(world.store);
  opened.push(lambda);
  const endpoint = lambda.url;
  const place = { endpoint, region: 'us-east-1', credentials };
  const invoker = new LambdaInvoker({ ...place, functions: ['worker'], concurrency: 2 });
  const { store } = world;
  const [stored] = questionOf(world).sets;
  if (stored?.op !== 'stored') throw new Error('a stored set');
  const sets = [{ ...stored, rows: Int32Array.of(0, 1) }];
  const batch = { ...questionOf(world, [{ ask: 'ids', of: 0, idsMax: 1e7 }]), sets };
  const { answers, usages } = await dispatch(batch, slicesOf(batch), invoker, { store });
  expect(answers.map(plainAnswer)).toEqual([[ids, ids.slice(7)]]);
  expect(usages[0]).toMatchObject({ worker: 'worker', memoryMb: 1769, cold: true });
  const wide = longQuestionOf(world, 400_000);
  const late = { ...wide, deadline: Date.now() + 500 };
  const asked = dispatch(late, slicesOf(late), invoker, { store });
  await expect(asked).rejects.toMatchObject({ code: 159 });
  const { objects } = await store.list({ prefix: 'spill/', max: 9 });
  expect(objects).toEqual([]);
  await invoker.close();
});
