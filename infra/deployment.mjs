// Makes AWS Lambda's functions what a plan says (functions.mjs): creates what is missing, changes what
// differs, leaves alone what is right. Run again, it does nothing. Workers are published as versions and
// the root is told the version that it was built with, so that roots that are still running keep to
// theirs.

import {
  AddPermissionCommand,
  CreateFunctionCommand,
  CreateFunctionUrlConfigCommand,
  DeleteFunctionConcurrencyCommand,
  GetFunctionCommand,
  GetFunctionConcurrencyCommand,
  GetFunctionUrlConfigCommand,
  LambdaClient,
  PublishVersionCommand,
  PutFunctionConcurrencyCommand,
  UpdateFunctionCodeCommand,
  UpdateFunctionConfigurationCommand,
  UpdateFunctionUrlConfigCommand,
  waitUntilFunctionActiveV2,
  waitUntilFunctionUpdatedV2,
} from '@aws-sdk/client-lambda';
import { sha256 } from './zip.mjs';

const runtime = 'nodejs22.x';
const waitSeconds = 120;

/** @param {{region?: string, endpoint?: string}} options */
export function openLambda({ region, endpoint }) {
  return new LambdaClient({
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : { endpoint }),
  });
}

/**
 * @param {LambdaClient} lambda
 * @param {import('./functions.mjs').FunctionPlan[]} plans In the order in which they are made.
 * @param {{role: string, auth: string, stream: boolean, endpoint?: string, say: (line: string) => void}} options
 * @returns {Promise<Record<string, string>>} The URLs, by kind.
 */
export async function deploy(lambda, plans, options) {
  const urls = {};
  const versions = {};
  for (const plan of plans) {
    const environment =
      plan.kind === 'root' || plan.kind === 'branch'
        ? { ...workersOf(plan, versions), ...plan.environment }
        : plan.environment;
    const what = await putFunction(lambda, { ...plan, environment }, options);
    await putConcurrency(lambda, plan);
    if (plan.hasUrl) urls[plan.kind] = reachable(await putUrl(lambda, plan, options), options);
    else versions[plan.kind] = `${plan.name}:${await publishedVersion(lambda, plan)}`;
    const named = versions[plan.kind] ?? plan.name;
    options.say(`${named.padEnd(24)} ${what}, ${(plan.zip.length / 1024).toFixed(0)} KB`);
  }
  return urls;
}

function workersOf({ kind }, { worker, branch }) {
  return {
    ...(worker === undefined ? {} : { MUSTER_LAMBDA_FUNCTIONS: worker }),
    ...(branch === undefined || kind === 'branch' ? {} : { MUSTER_LAMBDA_BRANCH_FUNCTION: branch }),
  };
}

/** 'created', 'updated' or 'unchanged'. */
async function putFunction(lambda, plan, options) {
  const found = await absentAsUndefined(
    lambda.send(new GetFunctionCommand({ FunctionName: plan.name })),
  );
  const wanted = configurationOf(plan, options);
  if (found === undefined) {
    const code = { ZipFile: plan.zip };
    const create = { ...wanted, Code: code, Architectures: ['x86_64'], PackageType: 'Zip' };
    await created(lambda, new CreateFunctionCommand(create));
    await waitUntilFunctionActiveV2(waiting(lambda), { FunctionName: plan.name });
    return 'created';
  }
  const { Configuration: current = {} } = found;
  const newCode = current.CodeSha256 !== base64Sha256(plan.zip);
  const newConfiguration = differs(current, wanted);
  if (newConfiguration) {
    await lambda.send(new UpdateFunctionConfigurationCommand(wanted));
    await waitUntilFunctionUpdatedV2(waiting(lambda), { FunctionName: plan.name });
  }
  if (newCode) {
    const code = { FunctionName: plan.name, ZipFile: plan.zip };
    await lambda.send(new UpdateFunctionCodeCommand(code));
    await waitUntilFunctionUpdatedV2(waiting(lambda), { FunctionName: plan.name });
  }
  return newCode || newConfiguration ? 'updated' : 'unchanged';
}

/** A role that was made a moment ago isn't known everywhere yet. */
async function created(lambda, command) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await lambda.send(command);
    } catch (error) {
      const isYoungRole = /cannot be assumed/.test(error.message);
      if (!isYoungRole || attempt === 6) throw error;
      await new Promise((resolve) => setTimeout(resolve, 3_000));
    }
  }
}

function configurationOf(plan, { role }) {
  return {
    FunctionName: plan.name,
    Description: `Muster ${plan.kind}, ${sha256(plan.zip).slice(0, 16)}`,
    Role: role,
    Runtime: runtime,
    Handler: 'index.handler',
    MemorySize: plan.memoryMb,
    Timeout: plan.timeoutSeconds,
    Environment: { Variables: plan.environment },
  };
}

function differs(current, wanted) {
  const text = (variables = {}) =>
    JSON.stringify(Object.entries(variables).sort(([a], [b]) => (a < b ? -1 : 1)));
  const plain = ['Description', 'Role', 'Runtime', 'Handler', 'MemorySize', 'Timeout'];
  return (
    plain.some((name) => current[name] !== wanted[name]) ||
    text(current.Environment?.Variables) !== text(wanted.Environment.Variables)
  );
}

/** Of what was put there last; AWS publishes nothing new where nothing has changed. */
async function publishedVersion(lambda, { name }) {
  const { Version } = await lambda.send(new PublishVersionCommand({ FunctionName: name }));
  return Version;
}

async function putConcurrency(lambda, { name, reserved }) {
  const named = { FunctionName: name };
  const { ReservedConcurrentExecutions: current } = await lambda.send(
    new GetFunctionConcurrencyCommand(named),
  );
  if (current === reserved) return;
  if (reserved === undefined) await lambda.send(new DeleteFunctionConcurrencyCommand(named));
  else {
    const put = { ...named, ReservedConcurrentExecutions: reserved };
    await lambda.send(new PutFunctionConcurrencyCommand(put));
  }
}

async function putUrl(lambda, { name }, { auth, stream }) {
  const wanted = {
    FunctionName: name,
    AuthType: auth === 'none' ? 'NONE' : 'AWS_IAM',
    InvokeMode: stream ? 'RESPONSE_STREAM' : 'BUFFERED',
  };
  const found = await absentAsUndefined(
    lambda.send(new GetFunctionUrlConfigCommand({ FunctionName: name })),
  );
  const isRight = found?.AuthType === wanted.AuthType && found.InvokeMode === wanted.InvokeMode;
  const command =
    found === undefined
      ? new CreateFunctionUrlConfigCommand(wanted)
      : new UpdateFunctionUrlConfigCommand(wanted);
  const { FunctionUrl } = isRight ? found : await lambda.send(command);
  if (auth === 'none') await permitEverybody(lambda, name);
  return FunctionUrl;
}

/** An endpoint of this machine: a stand-in for AWS. */
export function isLocal(endpoint) {
  return /^https?:\/\/(localhost|127\.|\[::1\])/.test(endpoint ?? '');
}

/** MiniStack gives AWS's names, and answers under a path of its own. */
function reachable(url, { endpoint }) {
  if (!isLocal(endpoint)) return url;
  return `${endpoint.replace(/\/$/, '')}/_aws/lambda-url/${new URL(url).hostname.split('.')[0]}/`;
}

/** Muster asks for user and password itself. Both permissions are needed since 2025. */
async function permitEverybody(lambda, name) {
  const everybody = { FunctionName: name, Principal: '*' };
  const permissions = [
    {
      ...everybody,
      StatementId: 'MusterUrl',
      Action: 'lambda:InvokeFunctionUrl',
      FunctionUrlAuthType: 'NONE',
    },
    {
      ...everybody,
      StatementId: 'MusterInvokeByUrl',
      Action: 'lambda:InvokeFunction',
      InvokedViaFunctionUrl: true,
    },
  ];
  for (const permission of permissions) {
    try {
      await lambda.send(new AddPermissionCommand(permission));
    } catch (error) {
      if (error.name !== 'ResourceConflictException') throw error;
    }
  }
}

async function absentAsUndefined(request) {
  try {
    return await request;
  } catch (error) {
    if (error.name === 'ResourceNotFoundException') return undefined;
    throw error;
  }
}

function waiting(client) {
  return { client, maxWaitTime: waitSeconds, minDelay: 0.2, maxDelay: 2 };
}

function base64Sha256(bytes) {
  return Buffer.from(sha256(bytes), 'hex').toString('base64');
}
