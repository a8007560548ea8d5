// Deploys Muster to AWS Lambda: `npm run bundle`, then
// `node infra/deploy.mjs --store s3://bucket/prefix --role ARN`. Credentials are AWS's own. Run again
// after an upgrade, with the same options; what is right already is left alone.

import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { pathToFileURL } from 'node:url';
import { functionNames } from './bundle.mjs';
import { deploy, isLocal, openLambda } from './deployment.mjs';
import { planFunctions, readUsers, readZips } from './functions.mjs';

const flags = {
  store: { type: 'string' },
  role: { type: 'string' },
  name: { type: 'string', default: 'muster' },
  region: { type: 'string' },
  memory: { type: 'string', default: '1769' },
  timeout: { type: 'string', default: '60' },
  concurrency: { type: 'string', default: '64' },
  'invocation-ms': { type: 'string', default: '40' },
  'root-concurrency': { type: 'string' },
  'worker-concurrency': { type: 'string' },
  'branch-concurrency': { type: 'string', default: '16' },
  'ingest-concurrency': { type: 'string', default: '8' },
  'backfill-concurrency': { type: 'string', default: '16' },
  'backfill-job': { type: 'string' },
  auth: { type: 'string' },
  users: { type: 'string' },
  stream: { type: 'boolean', default: false },
  'log-level': { type: 'string', default: 'info' },
  runtime: { type: 'string', default: 'node22' },
  endpoint: { type: 'string' },
  's3-endpoint': { type: 'string' },
  'no-probe': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
};

const help = `node infra/deploy.mjs --store s3://bucket/prefix --role ARN [options]

  --store URL               where tables live: s3://bucket/prefix
  --role ARN                what the functions may do: read and write that prefix, invoke muster-*,
                            write logs
  --name NAME               functions are NAME-root, -worker, -branch, -ingest, -backfill (muster)
  --region NAME             AWS region (AWS_REGION)
  --memory MB               of each environment: 1769 is one whole core (1769)
  --timeout SECONDS         a question takes at most (60)
  --concurrency N           workers that one root calls at a time (64)
  --invocation-ms MS        estimated work that a further worker must have (40; 0: always spread)
  --root-concurrency N      reserved for questions (none: the account's)
  --worker-concurrency N    reserved for workers (none: the account's)
  --branch-concurrency N    reserved for inner nodes of large fan-outs (16; 0: none reserved)
  --ingest-concurrency N    reserved for ingest (8; 0: none reserved)
  --backfill-concurrency N  reserved for backfills (16; 0: none reserved)
  --backfill-job FILE       JSON: the job of files that S3 tells the backfill function of (none)
  --users FILE              {"users": [{"name": ..., "passwordSha256": ...}]}; MUSTER_USER and
                            MUSTER_PASSWORD name one more
  --auth iam|none           of the URLs: iam lets AWS sign callers in, none leaves it to Muster's
                            users (none where there are users, else iam)
  --stream                  stream replies: 200 MB instead of 4.5 MB
  --log-level LEVEL         silent, error, warn, info, debug (info)
  --runtime node22|local    which zips: local ones are for MiniStack (node22)
  --endpoint URL            Lambda's API elsewhere, such as MiniStack (AWS_ENDPOINT_URL_LAMBDA,
                            AWS_ENDPOINT_URL)
  --s3-endpoint URL         S3 elsewhere, for the functions, too
  --no-probe                don't try the store from this machine

  AWS_ACCESS_KEY_ID, AWS_PROFILE and so on are read as by AWS's own tools.
  Example: MUSTER_PASSWORD=... node infra/deploy.mjs --store s3://acme-sets/prod \\
             --role arn:aws:iam::123456789012:role/muster
`;

/** One sentence for whoever typed it. */
class Refusal extends Error {}

export function readOptions(programArguments, environment) {
  const { values } = parsed(programArguments);
  if (values.help) return undefined;
  const store = given(values.store, '--store s3://bucket/prefix');
  const role = given(values.role, '--role ARN, the IAM role of the functions');
  if (!/^s3:\/\/[a-z0-9]/.test(store))
    throw new Refusal(`--store ${store} is no s3://bucket/prefix`);
  if (!/^arn:[^:]+:iam::\d{12}:role\/.+/.test(role)) {
    throw new Refusal(
      `--role ${role} is no ARN of a role, as arn:aws:iam::123456789012:role/muster`,
    );
  }
  const users = readUsers(values.users, environment);
  return {
    store,
    role,
    users,
    name: values.name,
    region: values.region ?? environment.AWS_REGION ?? environment.AWS_DEFAULT_REGION,
    memoryMb: whole(values, 'memory', [128, 10_240]),
    timeoutSeconds: whole(values, 'timeout', [3, 900]),
    concurrency: whole(values, 'concurrency', [1, 10_000]),
    invocationMs: whole(values, 'invocation-ms', [0, 60_000]),
    rootConcurrency: reserved(values, 'root-concurrency'),
    workerConcurrency: reserved(values, 'worker-concurrency'),
    branchConcurrency: reserved(values, 'branch-concurrency'),
    ingestConcurrency: reserved(values, 'ingest-concurrency'),
    backfillConcurrency: reserved(values, 'backfill-concurrency'),
    backfillJob: jobText(values['backfill-job']),
    auth: authOf(values, users, environment),
    stream: values.stream === true,
    logLevel: values['log-level'],
    runtime: values.runtime,
    endpoint: endpointOf(values, environment),
    s3Endpoint: values['s3-endpoint'] ?? environment.AWS_ENDPOINT_URL_S3,
    probe: !values['no-probe'],
  };
}

function parsed(programArguments) {
  try {
    return parseArgs({ args: programArguments, options: flags, strict: true });
  } catch (error) {
    throw new Refusal(`${error.message}; --help lists what there is`);
  }
}

function given(value, what) {
  if (value === undefined || value === '')
    throw new Refusal(`Give ${what}; --help shows an example`);
  return value;
}

function whole(values, name, [min, max]) {
  const value = Number(values[name]);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new Refusal(`--${name} is a whole number from ${min} to ${max}, and not ${values[name]}`);
}

function reserved(values, name) {
  if (values[name] === undefined) return undefined;
  return whole(values, name, [0, 10_000]) || undefined;
}

/** On one line, as variables are. */
function jobText(file) {
  if (file === undefined) return undefined;
  try {
    return JSON.stringify(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new Refusal(`--backfill-job ${file} can't be read as JSON: ${error.message}`);
  }
}

function endpointOf(values, environment) {
  return values.endpoint ?? environment.AWS_ENDPOINT_URL_LAMBDA ?? environment.AWS_ENDPOINT_URL;
}

function authOf(values, users, environment) {
  const auth = values.auth ?? (users.length > 0 ? 'none' : 'iam');
  if (auth !== 'iam' && auth !== 'none') throw new Refusal('--auth is iam or none');
  if (auth === 'none' && users.length === 0 && !isLocal(endpointOf(values, environment))) {
    throw new Refusal(
      '--auth none without users would answer everybody on the internet: set MUSTER_PASSWORD, ' +
        'give --users, or take --auth iam',
    );
  }
  return auth;
}

/** Tries the store from here, as `muster serve` does: functions don't. Begins it where it is empty. */
async function probe({ store, s3Endpoint: endpoint, region }) {
  const built = (file) => import(new URL(`../dist/${file}`, import.meta.url).href);
  let modules;
  try {
    modules = await Promise.all([
      built('object-store/open-store.js'),
      built('catalog/catalog.js'),
      built('functions/served-catalog.js'),
      built('base/clock.js'),
    ]);
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Refusal('Muster is not built: npm run build');
  }
  const [
    { openStore },
    { refuseForeignStore: inspect },
    { openServedCatalog },
    { systemClock: clock },
  ] = modules;
  const opened = await openStore(store, { clock, endpoint, region, inspect });
  await openServedCatalog(opened, clock);
  await opened.close();
}

async function main() {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options === undefined) {
    process.stdout.write(help);
    return;
  }
  const zips = readZips(functionNames, options.runtime);
  if (options.probe) await probe(options);
  const say = (line) => console.log(line);
  const lambda = openLambda(options);
  const urls = await deploy(lambda, planFunctions(options, zips), { ...options, say });
  console.log(`\nQueries  ${urls.root}\nIngest   ${urls.ingest}`);
  console.log(
    options.auth === 'iam'
      ? '\nCallers sign with AWS Signature Version 4 (service lambda); --auth none takes users.'
      : `\nTry      curl '${urls.root}?query=SELECT+1' ${options.users.length > 0 ? '--user NAME' : ''}`,
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  await main().catch((error) => {
    const aws = error.$metadata === undefined ? '' : `AWS refused: ${error.name}: `;
    console.error(`${aws}${error.message}`);
    process.exitCode = 1;
  });
}
