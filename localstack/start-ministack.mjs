// Starts MiniStack's Lambda and S3 without Docker (emulator.mjs says how). Functions run as processes of
// the `node` that is first on its PATH, whatever their runtime says; one for each call at a time, kept
// between calls as Lambda's environments are. `node localstack/start-ministack.mjs [FOLDER_OF_NODE]`
// runs it until Ctrl-C.

import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runEmulator, startEmulator } from './emulator.mjs';

/**
 * Resolves when Lambda and S3 answer.
 * @param {object} [options]
 * @param {string} [options.nodeFolder] Of the `node` that runs the functions.
 * @param {number} [options.accountConcurrency] More calls at a time are throttled; 1000 as at AWS.
 */
export async function startMiniStack(options = {}) {
  return await startEmulator({
    name: 'MiniStack',
    module: 'ministack',
    requirements: 'ministack-requirements.txt',
    venv: '.venv-ministack',
    environment: (port, state) => environment(port, state, options),
    runningVersion,
  });
}

function environment(port, state, { nodeFolder, accountConcurrency = 1000 }) {
  const folders = [...(nodeFolder === undefined ? [] : [nodeFolder]), process.env.PATH ?? ''];
  return {
    BIND_HOST: '127.0.0.1',
    GATEWAY_PORT: String(port),
    LAMBDA_EXECUTOR: 'local',
    SERVICES: 's3,lambda',
    SFTP_ENABLED: '0',
    IOT_MTLS_ENABLED: '0',
    // Where it unpacks functions.
    TMPDIR: state,
    PATH: folders.join(path.delimiter),
    // Functions inherit its environment: what is meant for tests is not meant for them.
    NODE_OPTIONS: '',
    LAMBDA_ACCOUNT_CONCURRENCY: String(accountConcurrency),
  };
}

async function runningVersion(endpoint) {
  const reply = await fetch(`${endpoint}/_ministack/health`);
  const { services = {}, version } = await reply.json();
  return services.lambda === undefined || services.s3 === undefined ? undefined : version;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , nodeFolder] = process.argv;
  const start = () => startMiniStack(nodeFolder === undefined ? {} : { nodeFolder });
  await runEmulator('MiniStack', start).catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
