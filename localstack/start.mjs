// Starts LocalStack's S3 without Docker (emulator.mjs says how). `startLocalStack()` for test/run.mjs;
// `node localstack/start.mjs` runs it until Ctrl-C. State is in memory and is gone when it stops.

import { fileURLToPath } from 'node:url';
import { runEmulator, startEmulator } from './emulator.mjs';

const localStack = {
  name: 'LocalStack',
  module: 'localstack.runtime.main',
  requirements: 'requirements.txt',
  venv: '.venv',
  environment: (port, state) => ({
    GATEWAY_LISTEN: `127.0.0.1:${port}`,
    SERVICES: 's3',
    EAGER_SERVICE_LOADING: '1',
    STRICT_SERVICE_LOADING: '1',
    DNS_ADDRESS: '0',
    SKIP_SSL_CERT_DOWNLOAD: '1',
    DISABLE_EVENTS: '1',
    FILESYSTEM_ROOT: state,
  }),
  runningVersion: async (endpoint) => {
    const reply = await fetch(`${endpoint}/_localstack/health`);
    const health = await reply.json();
    return health.services?.s3 === 'running' ? health.version : undefined;
  },
};

/** Resolves when S3 answers. */
export async function startLocalStack() {
  return await startEmulator(localStack);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runEmulator(localStack.name, startLocalStack).catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
