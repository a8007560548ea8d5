// The functions of a deployment, as data: their names, zips, environments and limits. What is made of
// it, and in which order, is deployment.mjs's business. Nothing here is asked of AWS.

import { readFileSync } from 'node:fs';
import { zipPath } from './bundle.mjs';
import { filesOf, sha256, zipOf } from './zip.mjs';

/**
 * @typedef {object} FunctionPlan
 * @property {string} name
 * @property {'root' | 'worker' | 'branch' | 'ingest' | 'backfill'} kind
 * @property {Uint8Array} zip
 * @property {Record<string, string>} environment
 * @property {number} memoryMb
 * @property {number} timeoutSeconds
 * @property {number | undefined} reserved Environments at most; undefined: of the account's own.
 * @property {boolean} hasUrl
 */

/**
 * Zips as `npm run bundle` made them.
 * @returns {Record<string, Uint8Array>}
 */
export function readZips(kinds, runtime) {
  const zips = kinds.map((kind) => {
    const file = zipPath(kind, runtime);
    try {
      return [kind, readFileSync(file)];
    } catch {
      throw new Error(`${file} is missing: run npm run bundle`);
    }
  });
  return Object.fromEntries(zips);
}

/**
 * Workers first: the root is told which version of them to call.
 * @returns {FunctionPlan[]}
 */
export function planFunctions(options, zips) {
  const { name, users } = options;
  const store = {
    MUSTER_STORE: options.store,
    ...(options.s3Endpoint === undefined ? {} : { MUSTER_ENDPOINT: options.s3Endpoint }),
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
  };
  const streaming = options.stream ? { MUSTER_RESPONSE_STREAM: '1' } : {};
  const edge = { ...store, ...streaming, MUSTER_LOG_LEVEL: options.logLevel };
  const { backfillJob } = options;
  const backfill = {
    ...store,
    ...(backfillJob === undefined ? {} : { MUSTER_BACKFILL: backfillJob }),
  };
  const plan = (kind, environment, more) => ({
    name: `${name}-${kind}`,
    kind,
    zip: zips[kind],
    environment,
    memoryMb: options.memoryMb,
    timeoutSeconds: options.timeoutSeconds,
    reserved: undefined,
    hasUrl: false,
    ...more,
  });
  const ask = { hasUrl: true, reserved: options.rootConcurrency, zip: withUsers(zips.root, users) };
  const ingest = { hasUrl: true, reserved: options.ingestConcurrency };
  return [
    plan('worker', store, { reserved: options.workerConcurrency }),
    plan('branch', store, { reserved: options.branchConcurrency }),
    plan('backfill', backfill, {
      reserved: options.backfillConcurrency,
      // As long as Lambda lets a function run: what is not done by then is gone on with.
      timeoutSeconds: 900,
    }),
    plan('ingest', edge, { ...ingest, zip: withUsers(zips.ingest, users) }),
    plan(
      'root',
      {
        ...edge,
        MUSTER_LAMBDA_CONCURRENCY: String(options.concurrency),
        MUSTER_LAMBDA_INVOCATION_MS: String(options.invocationMs),
      },
      ask,
    ),
  ];
}

/** Users lie beside the code, as hashes: passwords stand in no environment variable. */
function withUsers(zip, users) {
  if (users.length === 0) return zip;
  const config = Buffer.from(JSON.stringify({ users }), 'utf8');
  return zipOf({ ...filesOf(zip), 'muster.json': config });
}

/**
 * Users of the file (`{"users": [...]}`) and of MUSTER_USER and MUSTER_PASSWORD, as hashes.
 * @returns {{name: string, passwordSha256: string}[]}
 */
export function readUsers(file, { MUSTER_USER, MUSTER_PASSWORD }) {
  const listed = file === undefined ? [] : (JSON.parse(readFileSync(file, 'utf8')).users ?? []);
  const own =
    MUSTER_PASSWORD === undefined
      ? []
      : [{ name: MUSTER_USER ?? 'default', password: MUSTER_PASSWORD }];
  return [...listed, ...own].map(({ name, password, passwordSha256 }) => ({
    name,
    passwordSha256: passwordSha256 ?? sha256(Buffer.from(password, 'utf8')),
  }));
}
